/** Renders a part of an encoded video as the service does: copied segments, and those at the ends encoded again. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodePart } from '../../src/encode/encode-part.ts'
import type { EncodedPart } from '../../src/encode/output/encoded-part.ts'
import type { Plan, TrackName } from '../../src/plan/plan.ts'
import { type FrameSpan, renderPlan, ticksBefore } from '../../src/render/render-plan.ts'
import { shiftSegment } from '../../src/render/shift-segment.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import type { Source } from '../../src/source/source.ts'
import { type EncodedVideo, tracksOf } from '../encoded-video.ts'

const never = new AbortController().signal

type Whole = { readonly source: Source; readonly plan: Plan; readonly video: EncodedVideo }

/** The headers of the encoded segments, and a file of each whole track. */
export async function renderVideo(sandbox: Sandbox, { source, plan, video }: Whole, span: FrameSpan) {
  const { copied, edges, plan: rendered } = renderPlan(plan, span)
  const made: EncodedPart[] = []
  for (const part of edges) {
    const directory = await mkdtemp(join(video.directory, 'edge-'))
    made.push(await encodePart(sandbox, source, plan, part, { directory, signal: never }))
  }
  const joinTrack = async (name: TrackName) => {
    const whole = tracksOf(video.parts, name)
    const encoded = tracksOf(made, name)
    const segments = [
      ...whole.flatMap((track) => track.segments).filter(({ path }) => isIn(copied, numberOf(path))),
      ...encoded.flatMap((track) => track.segments),
    ].toSorted((one, other) => numberOf(one.path) - numberOf(other.path))
    // If nothing is copied, the header is that of the encoded segments.
    const init = await readFile((copied.start < copied.end ? whole : encoded)[0]?.init.path ?? '')
    const ticks = ticksBefore(plan, name, span.startFrame)
    const files = await Promise.all(segments.map(async ({ path }) => shiftSegment(await readFile(path), ticks)))
    const path = join(await mkdtemp(join(video.directory, 'rendered-')), `${name}.mp4`)
    await writeFile(path, Buffer.concat([init, ...files]))
    const inits = await Promise.all(encoded.map((track) => readFile(track.init.path)))
    return { path, isSameInit: inits.every((own) => own.equals(init)) }
  }
  return { plan: rendered, cpuSeconds: made.reduce((sum, part) => sum + part.cpuSeconds, 0), join: joinTrack }
}

const numberOf = (path: string) => Number(path.split('/').at(-1)?.replace('.m4s', ''))
const isIn = ({ start, end }: { readonly start: number; readonly end: number }, number: number) =>
  number >= start && number < end
