import { describe, expect, it } from 'vitest'
import type { Limits } from './limits.ts'
import { bareArguments, bubblewrapArguments } from './sandbox-arguments.ts'
import type { Task } from './task.ts'

const limits: Limits = {
  wallSeconds: 10,
  cpuSeconds: 5,
  // A memory limit that does not fit into 32 bits.
  memoryBytes: 4 * 2 ** 30,
  fileBytes: 0,
  writtenBytes: 0,
  openFiles: 64,
  processes: 32,
  stdoutBytes: 1000,
  stderrBytes: 1000,
}
const task: Task = {
  program: '/usr/bin/ffprobe',
  arguments: ['-i', 'file:/in/source'],
  input: { kind: 'file', path: '/scratch/a film' },
  limits,
}

const linesOf = (given: readonly string[]) => given.join(' ').replaceAll(' --', '\n--').split('\n')

describe('bubblewrapArguments', () => {
  it('mounts the file, the libraries and the program, and nothing else', () => {
    expect(linesOf(bubblewrapArguments(task)).join('\n')).toMatchInlineSnapshot(`
      "--unshare-user
      --unshare-ipc
      --unshare-pid
      --unshare-net
      --unshare-uts
      --unshare-cgroup-try
      --uid 65534
      --gid 65534
      --cap-drop ALL
      --new-session
      --die-with-parent
      --clearenv
      --ro-bind /usr/lib /usr/lib
      --ro-bind-try /usr/lib64 /usr/lib64
      --symlink usr/lib /lib
      --symlink usr/lib64 /lib64
      --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache
      --ro-bind-try /etc/alternatives /etc/alternatives
      --dev /dev
      --ro-bind /usr/bin/sh /usr/bin/sh
      --ro-bind /usr/bin/prlimit /usr/bin/prlimit
      --ro-bind /usr/bin/ffprobe /usr/bin/ffprobe
      --ro-bind /scratch/a film /in/source
      --remount-ro /dev
      --remount-ro /
      --seccomp 3
      -- /usr/bin/sh -c echo started >&6
      { read -r end <&5; kill -s KILL
      -- -1; } >&- 2>&- 3>&- 4>&- 6>&- &
      "$@" 3>&- 4>&- 5>&- 6>&-
      code=$?
      times >&6
      exit $code /usr/bin/sh /usr/bin/prlimit
      --cpu=5:7
      --data=4294967296
      --stack=2097152
      --fsize=0
      --nofile=64
      --core=0
      --nproc=32
      -- /usr/bin/ffprobe -i file:/in/source"
    `)
  })

  it('mounts a relay socket, and starts the program only after the supervisor has read a line', () => {
    const input = { kind: 'relay', socketPath: '/tmp/x/source.sock' } as const
    const withFile = linesOf(bubblewrapArguments(task))
    const different = linesOf(bubblewrapArguments({ ...task, input })).filter((line) => !withFile.includes(line))
    expect(different.join('\n')).toMatchInlineSnapshot(`
      "--ro-bind /usr/bin/socat /usr/bin/socat
      --ro-bind /tmp/x/source.sock /in/source.sock
      /usr/bin/socat -d -d TCP-LISTEN:8080,bind=127.0.0.1,fork,max-children=16,backlog=16,sndbuf=65536 UNIX-CONNECT:/in/source.sock,rcvbuf=65536 2>&4 3>&- 5>&- 6>&- &
      read -r go <&5 || kill -s KILL
      -- -1"
    `)
  })

  it('makes the output directory writable', () => {
    const given = bubblewrapArguments({ ...task, outputDirectory: '/scratch/out' })
    expect(given.slice(given.indexOf('--bind'), given.indexOf('--bind') + 3)).toEqual([
      '--bind',
      '/scratch/out',
      '/out',
    ])
  })
})

describe('bareArguments', () => {
  it('sets the limits and kills the program when the worker dies', () => {
    expect(linesOf(bareArguments(task)).join('\n')).toMatchInlineSnapshot(`
      "--pdeathsig KILL
      --no-new-privs /usr/bin/sh -c echo started >&6
      { read -r end <&5; kill -s KILL 0; } >&- 2>&- 3>&- 4>&- 6>&- &
      "$@" 3>&- 4>&- 5>&- 6>&-
      code=$?
      times >&6
      exit $code /usr/bin/sh /usr/bin/setpriv
      --pdeathsig KILL
      --no-new-privs /usr/bin/prlimit
      --cpu=5:7
      --data=4294967296
      --stack=2097152
      --fsize=0
      --nofile=64
      --core=0
      -- /usr/bin/ffprobe -i file:/in/source"
    `)
  })
})
