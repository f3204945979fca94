# Loaded by every command of the stack.

# shellcheck source=settings.bash
source "${BASH_SOURCE[0]%/*}/settings.bash"
# shellcheck source=progress.bash
source "$library/progress.bash"
# shellcheck source=processes.bash
source "$library/processes.bash"
# shellcheck source=instance.bash
source "$library/instance.bash"
# shellcheck source=install.bash
source "$library/install.bash"
# shellcheck source=postgres-conf.bash
source "$library/postgres-conf.bash"
# shellcheck source=postgres.bash
source "$library/postgres.bash"
# shellcheck source=standby.bash
source "$library/standby.bash"
# shellcheck source=ceph-conf.bash
source "$library/ceph-conf.bash"
# shellcheck source=ceph.bash
source "$library/ceph.bash"
