/** How ffmpeg writes its lists: pure. */
import type { AbilityKind } from './needed-abilities.ts'

/**
 * A list begins behind a line of dashes, each line with flags; those of filters and bitstream
 * filters have no such line.
 */
const lineForms: Record<AbilityKind, RegExp> = {
  encoders: /^ [VAS][.A-Z]{5} (\w\S*)/,
  decoders: /^ [VAS][.A-Z]{5} (\w\S*)/,
  filters: /^ [.TSC|]{3} (\S+) +\S+->\S+/,
  muxers: /^ [ D]E (\S+)/,
  demuxers: /^ D[ E] (\S+)/,
  bsfs: /^(\w+)$/,
}

/** One line may stand for several names: "mov,mp4,m4a". */
export const namesIn = (kind: AbilityKind, text: string): Set<string> =>
  new Set(text.split('\n').flatMap((line) => lineForms[kind].exec(line)?.[1]?.split(',') ?? []))
