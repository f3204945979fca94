/** Nothing can be run safely on this machine until its operator does something about it. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable'

  constructor(what: string) {
    super(
      `Videos cannot be looked into safely here: ${what}. Install Debian's packages ffmpeg, bubblewrap and socat, and allow ` +
        'unprivileged user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, ' +
        'kernel.apparmor_restrict_unprivileged_userns; in a container also its seccomp profile). Or isolate the worker by ' +
        'other means, so that it reaches no network but storage and the database, and set MEDIA_SANDBOX=none.',
    )
  }
}
