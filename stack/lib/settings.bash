# Every setting of the stack, read from the environment. This is the one place that documents them.
#
#   STACK_NAME              dev      Which instance. Several can run in parallel, each with its own data and ports.
#   STACK_DIR               <repository>/.stack/$STACK_NAME
#                                    The instance's directory.
#   STACK_PORT              7400     First of the 40 ports kept for the instance:
#                                      +0 PostgreSQL   +1 S3 (radosgw)   +2 Ceph monitor   +3 .. +38 Ceph osds
#                                      +39 the standby of PostgreSQL, if there is one
#                                    So 7400, 7440, 7480 ... never collide.
#   STACK_OSDS              1        Storage daemons, 1 to 8. Objects get min(STACK_OSDS, 3) copies.
#   STACK_OSD_SIZE          20G      Capacity of one osd. The file is sparse and grows with its content.
#   STACK_SHARED_BUFFERS    256MB    PostgreSQL's own cache.
#   STACK_POSTGRES_OPTIONS  (none)   Additional lines for postgresql.conf: words of the form name=value.
#   STACK_POSTGRES_CLOCK    real     With "settable", `stack/fault clock` sets PostgreSQL's clock (by Debian's libfaketime).
#   STACK_RADOSGW_OPTIONS   (none)   The same for radosgw, e.g. rgw_lc_debug_interval=10 (a lifecycle day lasts 10 s).
#   STACK_ROLES_FILE        <repository>/server/roles.sql
#                                    Creates the application's roles; gets OWNER_PASSWORD and
#                                    API_PASSWORD and WORKER_PASSWORD in its environment.
#   STACK_TIMEOUT_SECONDS   120      Time limit of any single wait.
#   STACK_S3_ADDRESS        127.0.0.1
#                                    The address on which S3 listens.
#   STACK_ACCESS_KEY_ID, STACK_SECRET_ACCESS_KEY
#                                    The key of S3; by default a public one, for development only.
#   STACK_UPLOAD_ACCESS_KEY_ID, STACK_UPLOAD_SECRET_ACCESS_KEY
#                                    The key that may only put objects; also public by default.
#
# An instance saves STACK_PORT, STACK_OSDS, STACK_OSD_SIZE, STACK_SHARED_BUFFERS, the clock and the two OPTIONS in
# its directory, so later commands need only STACK_NAME (or STACK_DIR). The first three are part of the stored data: `up`
# refuses to change them once data exists. The others are applied by the next `up` that starts the part.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
library=$repository/stack/lib

# The stack must never reach another database or cluster because the caller's shell points there, and its messages
# must not depend on the caller's language. Files must stay readable for the user that runs PostgreSQL.
unset "${!PG@}" "${!CEPH_@}"
export LC_ALL=C.UTF-8
PATH=$PATH:/usr/sbin:/sbin
umask 022

STACK_NAME=${STACK_NAME:-dev}
STACK_ROLES_FILE=${STACK_ROLES_FILE:-$repository/server/roles.sql}
STACK_TIMEOUT_SECONDS=${STACK_TIMEOUT_SECONDS:-120}
STACK_S3_ADDRESS=${STACK_S3_ADDRESS:-127.0.0.1}

declare -A remembered_defaults=(
  [STACK_PORT]=7400
  [STACK_OSDS]=1
  [STACK_OSD_SIZE]=20G
  [STACK_SHARED_BUFFERS]=256MB
  [STACK_POSTGRES_OPTIONS]=""
  [STACK_POSTGRES_CLOCK]=real
  [STACK_RADOSGW_OPTIONS]=""
)

readonly host=127.0.0.1
readonly ports_per_instance=40
# 4 ports an osd and 4 spare must fit behind the first three of the instance's 40 ports.
readonly osds_max=8
readonly storage_region=us-east-1

# For development only. They are fixed and public on purpose: nothing listens outside of 127.0.0.1, and a password
# that looks like this one is not mistaken for a secret.
readonly superuser_password=development-only-superuser
readonly owner_password=development-only-owner
readonly api_password=development-only-api
readonly worker_password=development-only-worker
readonly storage_access_key_id=${STACK_ACCESS_KEY_ID:-DEVELOPMENTONLY00000}
readonly storage_secret_access_key=${STACK_SECRET_ACCESS_KEY:-development-only-storage-secret-00000000}
readonly upload_access_key_id=${STACK_UPLOAD_ACCESS_KEY_ID:-DEVELOPMENTUPLOADS00}
readonly upload_secret_access_key=${STACK_UPLOAD_SECRET_ACCESS_KEY:-development-only-uploads-secret-00000000}
readonly playback_secret=development-only-playback-secret-0000000
readonly key_encryption_keys=development:ZGV2ZWxvcG1lbnQtb25seS1rZXktZW5jcnlwdGlvbjA=

[[ $STACK_NAME =~ ^[a-z0-9][a-z0-9_-]*$ ]] ||
  { echo "stack: STACK_NAME may use a-z, 0-9, - and _, not \"$STACK_NAME\"" >&2; exit 2; }
[[ $STACK_TIMEOUT_SECONDS =~ ^[1-9][0-9]{0,4}$ ]] ||
  { echo "stack: STACK_TIMEOUT_SECONDS must be a whole number of seconds, not \"$STACK_TIMEOUT_SECONDS\"" >&2; exit 2; }

instance_directory=$(realpath -m -- "${STACK_DIR:-$repository/.stack/$STACK_NAME}")
# The path is written into ceph.conf and postgresql.conf, where these characters have a meaning.
[[ $instance_directory != *[\#\;\$\"\'\\,[:cntrl:]]* ]] ||
  { echo "stack: the instance's path may not contain # ; \$ \" ' \\ or a comma: $instance_directory" >&2; exit 2; }
