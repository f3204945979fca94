/** This machine cannot run programs safely until its operator fixes the cause. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable'

  constructor(cause: string) {
    super(
      `Uploaded files cannot be processed safely on this machine: ${cause}. Install Debian's packages ffmpeg, bubblewrap and socat, and allow ` +
        'unprivileged user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, ' +
        'kernel.apparmor_restrict_unprivileged_userns; in a container also its seccomp profile). Alternatively, isolate the ' +
        'worker yourself, so that it reaches only storage and the database, and set MEDIA_SANDBOX=none.',
    )
  }
}
