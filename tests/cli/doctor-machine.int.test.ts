/**
 * Causes failures of a worker's machine by replacing a system file in a mount namespace. The server's doctor command
 * reports the failures, because a worker without a sandbox does not start.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, describe, expect, it } from 'vitest'
import { DoctorFixture, hintOf, serverDoctor } from './doctor-fixture.ts'

const run = promisify(execFile)
const fixture = await opened(DoctorFixture.open('machine'))
const directory = await mkdtemp(join(tmpdir(), 'reelkeep-doctor-'))
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Command prefix that mounts `file` over `covered`. */
const withFileOver = (covered: string, file: string) => [
  ...['unshare', '--mount', 'sh', '-c', 'mount --bind "$1" "$2" && shift 2 && exec "$@"', 'sh'],
  ...[file, covered],
]

/** A copy of libavcodec in which the encoder has another name, so that FFmpeg does not find it. */
async function libraryWithout(encoder: string): Promise<{ system: string; patched: string }> {
  const { stdout } = await run('ldd', ['/usr/bin/ffmpeg'])
  const found = /libavcodec\S* => (\S+)/.exec(stdout)?.[1]
  if (!found) throw new Error('ffmpeg is not linked with libavcodec')
  const system = await realpath(found)
  const library = await readFile(system)
  const name = Buffer.from(`\0${encoder}\0`)
  const at = library.indexOf(name)
  if (at < 0) throw new Error(`${system} has no encoder ${encoder}`)
  library.write('x', at + 1, 'latin1')
  const patched = join(directory, 'libavcodec.so')
  await writeFile(patched, library)
  return { system, patched }
}

describe('doctor checks of a worker machine', () => {
  it('all pass on a working machine', async () => {
    const ran = await serverDoctor('worker', fixture)
    expect(ran.failures).toEqual([])
    expect(ran.code).toBe(0)
  })

  it('worker-ffmpeg fails if ffmpeg was built without libx264', async () => {
    const { system, patched } = await libraryWithout('libx264')
    const ran = await serverDoctor('worker', fixture, withFileOver(system, patched))
    expect(ran.failures).toEqual(['worker-ffmpeg'])
    const result = ran.results.find(({ name }) => name === 'worker-ffmpeg')
    expect(result?.detail).toContain('libx264 (encoders)')
    expect(hintOf(ran, 'worker-ffmpeg')).toContain('ffmpeg')
    expect(ran.code).toBe(7)
  })

  it('worker-sandbox fails if bubblewrap does not work', async () => {
    const ran = await serverDoctor('worker', fixture, withFileOver('/usr/bin/bwrap', '/usr/bin/false'))
    expect(ran.failures).toEqual(['worker-sandbox'])
    expect(hintOf(ran, 'worker-sandbox')).toContain('namespaces')
  })
})
