//! Lowers the options of engines whose targets are on another machine.

use plan::{CephPool, Http, HttpServer, Rbd, Remote, S3, Secret, Tls};

use crate::parse::values::Values;

pub(super) fn nfs(values: &Values) -> Remote {
    Remote::Nfs { url: values.text("nfs_url").unwrap_or_default().to_owned() }
}

pub(super) fn http(values: &Values) -> Remote {
    let owned = |name: &str| values.text(name).unwrap_or_default().to_owned();
    let secret = |name: &str| values.text(name).map(|text| Secret(text.to_owned()));
    Remote::Http(Http {
        server: match values.keyword("http_mode") {
            "s3" => HttpServer::S3(S3 {
                key: secret("http_s3_key").unwrap_or_default(),
                key_id: owned("http_s3_keyid"),
                security_token: secret("http_s3_security_token"),
                region: owned("http_s3_region"),
                storage_class: owned("http_s3_storage_class"),
                customer_key: secret("http_s3_sse_customer_key"),
                customer_algorithm: owned("http_s3_sse_customer_algorithm"),
            }),
            "swift" => HttpServer::Swift { token: secret("http_swift_auth_token").unwrap_or_default() },
            _ => HttpServer::WebDav,
        },
        tls: match values.keyword("https") {
            "on" => Tls::On,
            "insecure" => Tls::Insecure,
            _ => Tls::Off,
        },
        host: owned("http_host"),
        user: values.text("http_user").map(str::to_owned),
        password: secret("http_pass"),
        verbosity: values.unsigned("http_verbose") as u32,
        has_one_object: values.keyword("http_object_mode") == "range",
    })
}

pub(super) fn nbd(values: &Values) -> Remote {
    Remote::Nbd { uri: values.text("uri").unwrap_or_default().to_owned() }
}

pub(super) fn iscsi(values: &Values) -> Remote {
    let initiator = values.text("initiator").unwrap_or_default().to_owned();
    Remote::Iscsi { initiator, urls: Vec::new() }
}

pub(super) fn rbd(values: &Values) -> Remote {
    Remote::Rbd(Rbd {
        pool: pool(values, None),
        image: values.text("rbdname").unwrap_or_default().to_owned(),
        encryption_format: values.text("rbd_encryption_format").map(str::to_owned),
        encryption_passphrase: values.text("rbd_encryption_passphrase").map(|text| Secret(text.to_owned())),
    })
}

pub(super) fn rados(values: &Values) -> Remote {
    Remote::Rados { pool: pool(values, values.text("conf").map(str::to_owned)), touches: values.flag("touch_objects") }
}

fn pool(values: &Values, configuration: Option<String>) -> CephPool {
    let text = |name: &str| values.text(name).map(str::to_owned);
    CephPool {
        name: text("pool").unwrap_or_default(),
        cluster: text("clustername"),
        client: text("clientname"),
        configuration,
        spins: values.flag("busy_poll"),
    }
}
