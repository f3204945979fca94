import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ffmpegOutputFile } from '@reelkeep/media/ffmpeg-baseline'
import type { Measured } from './media-cost.ts'

const run = promisify(execFile)

/** Compares the similarity to the source with and without chunks, for every second rung. */
export async function measureQuality(film: string, measured: Measured) {
  const { plan, bareDirectory } = measured
  const directory = await mkdtemp(join(tmpdir(), 'reelkeep-quality-'))
  const rows = []
  for (const rung of plan.rungs.filter((_, index) => index % 2 === 1)) {
    const chunked = join(directory, `${rung.name}.mp4`)
    await writeFile(chunked, await measured.joined(rung.name))
    const whole = ffmpegOutputFile(bareDirectory, rung.name)
    const [one, other] = [await ssimOf(film, chunked, rung), await ssimOf(film, whole, rung)]
    const [bytes, wholeBytes] = [(await stat(chunked)).size, (await stat(whole)).size]
    rows.push({
      rendition: rung.name,
      'SSIM chunks dB': one.toFixed(3),
      'SSIM whole dB': other.toFixed(3),
      'difference dB': (one - other).toFixed(3),
      'size difference %': (((bytes - wholeBytes) / wholeBytes) * 100).toFixed(2),
    })
  }
  await rm(directory, { recursive: true })
  return rows
}

/** SSIM in decibels: 20 dB is an SSIM of 0.99. */
async function ssimOf(film: string, encoded: string, { width, height }: { width: number; height: number }) {
  const graph = `[0:v]scale=${width}:${height}:flags=bicubic[source];[source][1:v]ssim`
  const inputs = ['-hide_banner', '-nostdin', '-nostats', '-i', film, '-i', encoded]
  const output = ['-filter_complex', graph, '-f', 'null', '-']
  const { stderr } = await run('ffmpeg', [...inputs, ...output], { maxBuffer: 2 ** 24 })
  const found = /All:[\d.]+ \(([\d.]+)\)/.exec(stderr)?.[1]
  if (found === undefined) throw new Error(`No SSIM: ${stderr.slice(-500)}`)
  return Number(found)
}
