/** Builds the command line of a task. Pure, so that a test can check the whole command line. */
import type { Limits } from './limits.ts'
import { RELAY_CONNECTIONS_MAX, sandboxPaths, type Task } from './task.ts'

/** File descriptors of a sandboxed run, in addition to the standard three. */
export const descriptors = { seccomp: 3, relayLog: 4, keepAlive: 5, report: 6 } as const

const programs = '/usr/bin'
export const bubblewrap = `${programs}/bwrap`
export const socat = `${programs}/socat`
const shell = `${programs}/sh`
const prlimit = `${programs}/prlimit`
export const setpriv = `${programs}/setpriv`

/**
 * The user `nobody` on Debian. Outside the user namespace, the process runs as the user of the worker, without
 * its privileges.
 */
const UNPRIVILEGED_ID = '65534'

/** Size of socat's buffers. With large buffers, it would read far ahead of what the program needs. */
const RELAY_BUFFER_BYTES = 65_536

/**
 * Shell script that runs inside the sandbox as the parent of the program. It reports that the
 * sandbox has started, waits until the relay is listening, and at the end reports the CPU time,
 * which distinguishes a CPU limit from a kill by something else.
 *
 * It also watches a pipe that the worker keeps open during the run. bubblewrap ends with its parent, except if
 * the parent dies in the few milliseconds before bubblewrap has requested this from the kernel. The closing of
 * the pipe is always detected.
 */
const supervise = (killAll: string, relay = '') => `echo started >&6
${relay}{ read -r end <&5; ${killAll}; } >&- 2>&- 3>&- 4>&- 6>&- &
"$@" 3>&- 4>&- 5>&- 6>&-
code=$?
times >&6
exit $code`

/** Kills all processes of the PID namespace; without a namespace, the process group. */
const killNamespace = 'kill -s KILL -- -1'
const killGroup = 'kill -s KILL 0'

/** socat is not started by prlimit, because it forks for each connection, up to the relay's connection limit. */
const startRelay = `${socat} -d -d TCP-LISTEN:${sandboxPaths.relayPort},bind=127.0.0.1,fork,max-children=${RELAY_CONNECTIONS_MAX},backlog=${RELAY_CONNECTIONS_MAX},sndbuf=${RELAY_BUFFER_BYTES} UNIX-CONNECT:${sandboxPaths.socket},rcvbuf=${RELAY_BUFFER_BYTES} 2>&4 3>&- 5>&- 6>&- &
read -r go <&5 || ${killNamespace}
`

const systemMounts = [
  ['--ro-bind', '/usr/lib', '/usr/lib'],
  ['--ro-bind-try', '/usr/lib64', '/usr/lib64'],
  ['--symlink', 'usr/lib', '/lib'],
  ['--symlink', 'usr/lib64', '/lib64'],
  // The dynamic linker needs its cache and Debian's alternatives to find libraries.
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
  ['--uid', UNPRIVILEGED_ID],
  ['--gid', UNPRIVILEGED_ID],
  ['--cap-drop', 'ALL'],
  ['--new-session'],
  ['--die-with-parent'],
  ['--clearenv'],
] as const

const endsWithParent = ['--pdeathsig', 'KILL', '--no-new-privs']

const STACK_BYTES = 2 * 2 ** 20

const limitArguments = (limits: Limits) => [
  // The soft limit sends SIGXCPU, which shows that the CPU limit is the cause; the hard limit kills the process.
  `--cpu=${limits.cpuSeconds}:${limits.cpuSeconds + 2}`,
  // Counts memory that the process can write. Address space is not suitable: glibc reserves gigabytes.
  `--data=${limits.memoryBytes}`,
  // The stacks of all threads count as memory, with their full size.
  `--stack=${STACK_BYTES}`,
  `--fsize=${limits.fileBytes}`,
  `--nofile=${limits.openFiles}`,
  '--core=0',
]

/**
 * Programs outside /usr/bin (from npm packages) get a fixed path inside the sandbox, which does not reveal the
 * path on the host.
 */
const programInside = (program: string) => (program.startsWith(`${programs}/`) ? program : sandboxPaths.program)

function mountsOf({ program, input, outputDirectory }: Task): string[] {
  const executables = [shell, prlimit, ...(input.kind === 'relay' ? [socat] : []), program]
  return [
    ...[...new Set(executables)].flatMap((path) => ['--ro-bind', path, programInside(path)]),
    ...(input.kind === 'file' ? ['--ro-bind', input.path, sandboxPaths.file] : []),
    ...(input.kind === 'relay' ? ['--ro-bind', input.socketPath, sandboxPaths.socket] : []),
    ...(outputDirectory === undefined ? [] : ['--bind', outputDirectory, sandboxPaths.output]),
  ]
}

/** Mounts only libraries, the program and its input from the host; only the output directory is writable. */
export function bubblewrapArguments(task: Task): string[] {
  const { limits, input } = task
  return [
    ...isolation.flat(),
    ...systemMounts.flat(),
    ...mountsOf(task),
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--seccomp', String(descriptors.seccomp)],
    ...['--', shell, '-c', supervise(killNamespace, input.kind === 'relay' ? startRelay : ''), shell],
    ...[prlimit, ...limitArguments(limits), `--nproc=${limits.processes}`, '--'],
    ...[programInside(task.program), ...task.arguments],
  ]
}

/**
 * Command line for operators who isolate the whole worker themselves: applies the limits and ends the program
 * with the worker.
 */
export const bareArguments = ({ limits, program, arguments: given }: Task) => [
  ...endsWithParent,
  ...[shell, '-c', supervise(killGroup), shell],
  ...[setpriv, ...endsWithParent, prlimit, ...limitArguments(limits), '--'],
  ...[program, ...given],
]
