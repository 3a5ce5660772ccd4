//! fio's `--client`: the hosts of a fleet, in a command line of fio.

use std::path::Path;

const OPTION: &str = "client";

/// Returns the arguments of `fathom` for a command line of fio with `--client`: `fleet --hosts HOSTS fio LINE`. Returns `None`
/// for a line without it.
///
/// # Errors
/// The hosts do not have the same jobs, or several files of hosts are given.
pub fn fleet_args(args: &[String]) -> Option<Result<Vec<String>, String>> {
    let (clients, line) = split(args);
    (!clients.is_empty()).then(|| fleet(&clients, line))
}

/// A host, or a file of hosts, and whether a job file stands before it.
struct Client {
    name: String,
    follows_job_file: bool,
}

/// Takes the clients out of a line.
fn split(args: &[String]) -> (Vec<Client>, Vec<String>) {
    let (mut clients, mut line): (Vec<Client>, Vec<String>) = (Vec::new(), Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let name = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-')).and_then(|arg| match arg.split_once('=') {
            Some((OPTION, name)) => Some(name.to_owned()),
            None if arg == OPTION => Some(args.next().cloned().unwrap_or_default()),
            _ => None,
        });
        match name {
            Some(name) => {
                let follows_job_file = has_job_file(&line);
                clients.push(Client { name, follows_job_file });
            }
            None => line.push(arg.clone()),
        }
    }
    (clients, line)
}

/// Returns true if a line has an argument that is neither an option nor the value of one.
fn has_job_file(line: &[String]) -> bool {
    let is_value = |at: usize| at > 0 && line[at - 1].starts_with("--") && !line[at - 1].contains('=');
    (0..line.len()).any(|at| !line[at].starts_with('-') && !is_value(at))
}

fn fleet(clients: &[Client], line: Vec<String>) -> Result<Vec<String>, String> {
    if clients.iter().any(|client| client.follows_job_file) {
        let help = "help: give all --client options before the job files";
        return Err(format!("different job files per host are not supported\n{help}"));
    }
    let hosts = match clients {
        [file] if Path::new(&file.name).is_file() => ["--hostfile".to_owned(), file.name.clone()],
        clients => {
            if let Some(file) = clients.iter().find(|client| Path::new(&client.name).is_file()) {
                return Err(format!("--client={}: a host file must be the only --client", file.name));
            }
            if let Some(port) = clients.iter().find(|client| client.name.contains(',')) {
                let help = "help: give only the host name: mpirun starts fathom there through ssh";
                return Err(format!("--client={}: a port is not supported\n{help}", port.name));
            }
            let names: Vec<&str> = clients.iter().map(|client| client.name.as_str()).collect();
            ["--hosts".to_owned(), names.join(",")]
        }
    };
    Ok(["fleet".to_owned()].into_iter().chain(hosts).chain(["fio".to_owned()]).chain(line).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<Result<String, String>> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        fleet_args(&args).map(|made| made.map(|args| args.join(" ")))
    }

    #[test]
    fn clients_are_the_hosts_of_a_fleet() {
        assert_eq!(of("--name=a --size=1m"), None);
        let two = of("--client=a --output-format=json --client b job.fio");
        assert_eq!(two, Some(Ok("fleet --hosts a,b fio --output-format=json job.fio".to_owned())));
        let value = of("--output out --client=a job.fio");
        assert_eq!(value, Some(Ok("fleet --hosts a fio --output out job.fio".to_owned())));
        let one = of("-client=a job.fio");
        assert_eq!(one, Some(Ok("fleet --hosts a fio job.fio".to_owned())));
    }

    #[test]
    fn jobs_of_single_clients_and_ports_are_refused() {
        let refused = |line: &str| of(line).unwrap().unwrap_err();
        assert!(refused("--client=a one.fio --client=b two.fio").contains("all --client options before"));
        assert!(refused("--client=a,8765 job.fio").contains("a port is not supported"));
        assert!(refused("--client=/etc/hostname --client=b job.fio").contains("the only --client"));
    }
}
