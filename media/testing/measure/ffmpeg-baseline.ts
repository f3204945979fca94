/**
 * Measures a baseline: the cost of encoding the same rungs with ffmpeg alone in one run, without sandbox, relay
 * and packager.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { encodeArguments, encodedFile } from '../../src/encode/arguments/encode-arguments.ts'
import type { Part, Plan } from '../../src/plan/plan.ts'

const run = promisify(execFile)

const OUTPUT_BYTES_MAX = 2 ** 26

export type Cost = { readonly cpuSeconds: number; readonly wallSeconds: number }

/** A part with the whole video, or with some of its tracks. */
export const wholePart = (plan: Plan, only?: readonly string[]): Part => ({
  number: 0,
  tracks: [...plan.rungs.map(({ name }) => name), ...(plan.audio ? (['audio'] as const) : [])]
    .filter((name) => only === undefined || only.includes(name))
    .map((name) => ({ name, segments: { start: 0, end: plan.segments } })),
})

/** @param path Path of an MP4. @param directory Output directory for `<track>.encoded.mp4`. */
export async function encodeWithFfmpeg(path: string, plan: Plan, part: Part, directory: string): Promise<Cost> {
  const input = { address: `file:${path}`, protocols: 'file', container: 'mp4' } as const
  return measureFfmpeg(encodeArguments({ plan, part, input, directory }))
}

export async function measureFfmpeg(args: readonly string[]): Promise<Cost> {
  const startedAt = performance.now()
  const script = '"$@" >/dev/null && times'
  const { stdout } = await run('sh', ['-c', script, 'sh', 'ffmpeg', ...args], {
    maxBuffer: OUTPUT_BYTES_MAX,
  })
  const wallSeconds = (performance.now() - startedAt) / 1000
  const times = [...(stdout.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)]
  const cpuSeconds = times.reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0)
  return { cpuSeconds, wallSeconds }
}

export const ffmpegOutputFile = encodedFile
