/** What a video costs by ffmpeg alone: the same rungs and settings in one run, without sandbox, relay and packager. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { encodeArguments, encodedFile } from '../src/part/encode-arguments.ts'
import type { Part, Plan } from '../src/plan/plan.ts'

const run = promisify(execFile)

const OUTPUT_BYTES_MAX = 2 ** 26

export type Cost = { readonly cpuSeconds: number; readonly wallSeconds: number }

/** All of the video, or of some tracks of it, in one go. */
export const wholePart = (plan: Plan, only?: readonly string[]): Part => ({
  number: 0,
  tracks: [...plan.rungs.map(({ name }) => name), ...(plan.audio ? (['audio'] as const) : [])]
    .filter((name) => only === undefined || only.includes(name))
    .map((name) => ({ name, segments: { start: 0, end: plan.segments } })),
})

/** @param path Of an MP4. @param directory Where `<track>.encoded.mp4` are left. */
export async function encodeBare(
  path: string,
  plan: Plan,
  part: Part,
  directory: string,
): Promise<Cost> {
  const input = { address: `file:${path}`, protocols: 'file', container: 'mp4' } as const
  const given = encodeArguments({ plan, part, input, directory })
  const startedAt = performance.now()
  const script = '"$@" >/dev/null && times'
  const { stdout: said } = await run('sh', ['-c', script, 'sh', 'ffmpeg', ...given], {
    maxBuffer: OUTPUT_BYTES_MAX,
  })
  const wallSeconds = (performance.now() - startedAt) / 1000
  const times = [...(said.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)]
  const cpuSeconds = times.reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0)
  return { cpuSeconds, wallSeconds }
}

export const bareFile = encodedFile
