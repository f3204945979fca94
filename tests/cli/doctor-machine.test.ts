/**
 * What can be wrong with a worker's machine. It is planted in a mount namespace, where another file
 * lies over that of the system, and found by the operator's command, for a worker that finds no
 * sandbox does not even start.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, describe, expect, it } from 'vitest'
import { cureOf, DoctorStage, serverDoctor } from './doctor-stage.ts'

const run = promisify(execFile)
const stage = await opened(DoctorStage.open('machine'))
const directory = await mkdtemp(join(tmpdir(), 'reelkeep-doctor-'))
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Starts what follows where `file` lies over `covered`. */
const withFileOver = (covered: string, file: string) => [
  ...['unshare', '--mount', 'sh', '-c', 'mount --bind "$1" "$2" && shift 2 && exec "$@"', 'sh'],
  ...[file, covered],
]

/** FFmpeg's own library, in which the encoder has another name: to whoever asks for it, it is not there. */
async function libraryWithout(encoder: string): Promise<{ system: string; patched: string }> {
  const { stdout } = await run('ldd', ['/usr/bin/ffmpeg'])
  const found = /libavcodec\S* => (\S+)/.exec(stdout)?.[1]
  if (!found) throw new Error('ffmpeg has no libavcodec beside it')
  const system = await realpath(found)
  const library = await readFile(system)
  const name = Buffer.from(`\0${encoder}\0`)
  const at = library.indexOf(name)
  if (at < 0) throw new Error(`${system} knows no ${encoder}`)
  library.write('x', at + 1, 'latin1')
  const patched = join(directory, 'libavcodec.so')
  await writeFile(patched, library)
  return { system, patched }
}

describe('a worker’s machine', () => {
  it('that is well has no fault', async () => {
    const ran = await serverDoctor('worker', stage)
    expect(ran.faults).toEqual([])
    expect(ran.code).toBe(0)
  })

  it('worker-ffmpeg: ffmpeg was built without libx264', async () => {
    const { system, patched } = await libraryWithout('libx264')
    const ran = await serverDoctor('worker', stage, withFileOver(system, patched))
    expect(ran.faults).toEqual(['worker-ffmpeg'])
    const finding = ran.findings.find(({ name }) => name === 'worker-ffmpeg')
    expect(finding?.detail).toContain('libx264 (encoders)')
    expect(cureOf(ran, 'worker-ffmpeg')).toContain('ffmpeg')
    expect(ran.code).toBe(7)
  })

  it('worker-sandbox: bubblewrap does not work', async () => {
    const ran = await serverDoctor(
      'worker',
      stage,
      withFileOver('/usr/bin/bwrap', '/usr/bin/false'),
    )
    expect(ran.faults).toEqual(['worker-sandbox'])
    expect(cureOf(ran, 'worker-sandbox')).toContain('namespaces')
  })
})
