//! Lowers the options of engines whose targets are on another machine.

use plan::{CephPool, Http, HttpServer, Rbd, Remote, S3, Secret, Tls};

use crate::options::{Key, key, kinds};
use crate::parse::values::Values;

pub(super) fn nfs(values: &Values) -> Remote {
    Remote::Nfs { url: values.text(key::NFS_URL).unwrap_or_default().to_owned() }
}

pub(super) fn http(values: &Values) -> Remote {
    let owned = |key: Key<kinds::Text>| values.text(key).unwrap_or_default().to_owned();
    let secret = |key: Key<kinds::Text>| values.text(key).map(|text| Secret(text.to_owned()));
    Remote::Http(Http {
        server: match values.keyword(key::HTTP_MODE) {
            "s3" => HttpServer::S3(S3 {
                key: secret(key::HTTP_S3_KEY).unwrap_or_default(),
                key_id: owned(key::HTTP_S3_KEYID),
                security_token: secret(key::HTTP_S3_SECURITY_TOKEN),
                region: owned(key::HTTP_S3_REGION),
                storage_class: owned(key::HTTP_S3_STORAGE_CLASS),
                customer_key: secret(key::HTTP_S3_SSE_CUSTOMER_KEY),
                customer_algorithm: owned(key::HTTP_S3_SSE_CUSTOMER_ALGORITHM),
            }),
            "swift" => HttpServer::Swift { token: secret(key::HTTP_SWIFT_AUTH_TOKEN).unwrap_or_default() },
            _ => HttpServer::WebDav,
        },
        tls: match values.keyword(key::HTTPS) {
            "on" => Tls::On,
            "insecure" => Tls::Insecure,
            _ => Tls::Off,
        },
        host: owned(key::HTTP_HOST),
        user: values.text(key::HTTP_USER).map(str::to_owned),
        password: secret(key::HTTP_PASS),
        verbosity: values.unsigned(key::HTTP_VERBOSE) as u32,
        has_one_object: values.keyword(key::HTTP_OBJECT_MODE) == "range",
    })
}

pub(super) fn nbd(values: &Values) -> Remote {
    Remote::Nbd { uri: values.text(key::URI).unwrap_or_default().to_owned() }
}

pub(super) fn iscsi(values: &Values) -> Remote {
    let initiator = values.text(key::INITIATOR).unwrap_or_default().to_owned();
    Remote::Iscsi { initiator, urls: Vec::new() }
}

pub(super) fn rbd(values: &Values) -> Remote {
    Remote::Rbd(Rbd {
        pool: pool(values, None),
        image: values.text(key::RBDNAME).unwrap_or_default().to_owned(),
        encryption_format: values.text(key::RBD_ENCRYPTION_FORMAT).map(str::to_owned),
        encryption_passphrase: values.text(key::RBD_ENCRYPTION_PASSPHRASE).map(|text| Secret(text.to_owned())),
    })
}

pub(super) fn rados(values: &Values) -> Remote {
    Remote::Rados {
        pool: pool(values, values.text(key::CONF).map(str::to_owned)),
        touches: values.flag(key::TOUCH_OBJECTS),
    }
}

fn pool(values: &Values, configuration: Option<String>) -> CephPool {
    let text = |key: Key<kinds::Text>| values.text(key).map(str::to_owned);
    CephPool {
        name: text(key::POOL).unwrap_or_default(),
        cluster: text(key::CLUSTERNAME),
        client: text(key::CLIENTNAME),
        configuration,
        spins: values.flag(key::BUSY_POLL),
    }
}
