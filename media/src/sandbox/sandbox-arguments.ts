/** How a task becomes a command line: pure, so that it can be read whole in a test. */
import type { Limits } from './limits.ts'
import { inside, RELAY_CONNECTIONS_MAX, type Task } from './task.ts'

/** Descriptors beside the usual three that a sandboxed run is started with. */
export const descriptors = { seccomp: 3, relayLog: 4, wanted: 5, report: 6 } as const

const programs = '/usr/bin'
export const bubblewrap = `${programs}/bwrap`
export const socat = `${programs}/socat`
const shell = `${programs}/sh`
const prlimit = `${programs}/prlimit`
export const setpriv = `${programs}/setpriv`

/** Nobody, on every Debian; inside a user namespace it is whoever runs the worker, without any of their rights. */
const UNPRIVILEGED_ID = '65534'

/** socat's buffers on the way: large ones would have us read far ahead of what the program wants. */
const RELAY_BUFFER_BYTES = 65_536

/**
 * Runs inside as the parent of the program. It says that the sandbox stands, waits until the relay
 * listens, and tells in the end what processor time was used: the one witness that tells a limit
 * from a kill by somebody else.
 *
 * It also watches a pipe that we hold open for as long as the run is wanted. bubblewrap ends with
 * its parent, but not if that dies in the few milliseconds before it has asked the kernel for this;
 * the end of the pipe cannot be missed.
 */
const supervise = (killAll: string, relay = '') => `echo started >&6
${relay}{ read -r end <&5; ${killAll}; } >&- 2>&- 3>&- 4>&- 6>&- &
"$@" 3>&- 4>&- 5>&- 6>&-
code=$?
times >&6
exit $code`

/** Everybody in a process namespace of our own; without one, our own process group. */
const killNamespace = 'kill -s KILL -- -1'
const killGroup = 'kill -s KILL 0'

/** socat is no child of prlimit: it starts a process for each connection, and no more of them than the relay takes. */
const startRelay = `${socat} -d -d TCP-LISTEN:${inside.relayPort},bind=127.0.0.1,fork,max-children=${RELAY_CONNECTIONS_MAX},backlog=${RELAY_CONNECTIONS_MAX},sndbuf=${RELAY_BUFFER_BYTES} UNIX-CONNECT:${inside.socket},rcvbuf=${RELAY_BUFFER_BYTES} 2>&4 3>&- 5>&- 6>&- &
read -r go <&5 || ${killNamespace}
`

const system = [
  ['--ro-bind', '/usr/lib', '/usr/lib'],
  ['--ro-bind-try', '/usr/lib64', '/usr/lib64'],
  ['--symlink', 'usr/lib', '/lib'],
  ['--symlink', 'usr/lib64', '/lib64'],
  // Which library a name stands for: the linker's list, and Debian's choices between several of them.
  ['--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache'],
  ['--ro-bind-try', '/etc/alternatives', '/etc/alternatives'],
  ['--dev', '/dev'],
] as const

const isolation = [
  ['--unshare-user'],
  ['--unshare-ipc'],
  ['--unshare-pid'],
  ['--unshare-net'],
  ['--unshare-uts'],
  ['--unshare-cgroup-try'],
  ['--hostname', 'sandbox'],
  ['--uid', UNPRIVILEGED_ID],
  ['--gid', UNPRIVILEGED_ID],
  ['--cap-drop', 'ALL'],
  ['--new-session'],
  ['--die-with-parent'],
  ['--clearenv'],
] as const

const endsWithParent = ['--pdeathsig', 'KILL', '--no-new-privs']

const limitArguments = (limits: Limits) => [
  // First a signal of its own, which says why; then the end for whoever does not heed it.
  `--cpu=${limits.cpuSeconds}:${limits.cpuSeconds + 2}`,
  `--as=${limits.memoryBytes}`,
  `--fsize=${limits.fileBytes}`,
  `--nofile=${limits.openFiles}`,
  '--core=0',
]

/** What came with us lies anywhere on the host; inside, nothing tells where. */
const programInside = (program: string) =>
  program.startsWith(`${programs}/`) ? program : inside.program

function mountsOf({ program, input, outputDirectory }: Task): string[] {
  const executables = [shell, prlimit, ...(input.kind === 'relay' ? [socat] : []), program]
  return [
    ...[...new Set(executables)].flatMap((path) => ['--ro-bind', path, programInside(path)]),
    ...(input.kind === 'file' ? ['--ro-bind', input.path, inside.file] : []),
    ...(input.kind === 'relay' ? ['--ro-bind', input.socketPath, inside.socket] : []),
    ...(outputDirectory === undefined ? [] : ['--bind', outputDirectory, inside.output]),
  ]
}

/** With nothing of the host's but libraries, the program and its input, and no place to write to but its output. */
export function bubblewrapArguments(task: Task): string[] {
  const { limits, input } = task
  return [
    ...isolation.flat(),
    ...system.flat(),
    ...mountsOf(task),
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--seccomp', String(descriptors.seccomp)],
    ...[
      '--',
      shell,
      '-c',
      supervise(killNamespace, input.kind === 'relay' ? startRelay : ''),
      shell,
    ],
    ...[prlimit, ...limitArguments(limits), `--nproc=${limits.processes}`, '--'],
    ...[programInside(task.program), ...task.arguments],
  ]
}

/** For an operator who has isolated the whole worker: the limits, and the promise that all of it ends with us. */
export const bareArguments = ({ limits, program, arguments: given }: Task) => [
  ...endsWithParent,
  ...[shell, '-c', supervise(killGroup), shell],
  ...[setpriv, ...endsWithParent, prlimit, ...limitArguments(limits), '--'],
  ...[program, ...given],
]
