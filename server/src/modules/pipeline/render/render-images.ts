/** Copies the part of the storyboard, filmstrip and waveform that belongs to a rendered part of a video. */
import { trackPart, waveformPart } from '@reelkeep/media'
import type { Attempt } from '../../../platform/jobs/handler.ts'
import { type Asset, mediaSeconds, type ShownRange } from '../../assets/assets.ts'
import { type Outputs, openOutputs, openStored, type StoredOutputs } from '../outputs.ts'
import type { RenderDeps } from './render-deps.ts'

type Images = { readonly asset: Asset & { readonly range: ShownRange }; readonly prefix: string }

/** Returns the stored files, and the keys of those that the asset refers to. */
export async function copyImages({ media }: RenderDeps, { signal }: Attempt<unknown>, { asset, prefix }: Images) {
  const outputs = openOutputs(media, prefix, signal)
  const stored = openStored(media, signal)
  const copy = { outputs, stored, part: mediaSeconds(asset.range) }
  const keys = {
    storyboardKey: await copyTiles(copy, asset.storyboardKey, 'storyboard.vtt'),
    filmstripKey: await copyTiles(copy, asset.filmstripKey, 'filmstrip.vtt'),
    waveformKey: await copyWaveform(copy, asset.waveformKey),
  }
  return { prefix, keys, files: await outputs.verified() }
}

type Copy = {
  readonly outputs: Outputs
  readonly stored: StoredOutputs
  readonly part: { readonly startSeconds: number; readonly endSeconds: number }
}

/** Copies the list of tiles, and the images that contain them. */
async function copyTiles({ outputs, stored, part }: Copy, key: string | null, name: string): Promise<string | null> {
  if (key === null) return null
  const tiles = trackPart((await stored.read(key)).toString(), part)
  const folder = key.slice(0, key.lastIndexOf('/') + 1)
  const sheets = new Set([...tiles.matchAll(/^([^#\n]+)#xywh=/gm)].map(([, sheet = '']) => sheet))
  for (const sheet of sheets) await outputs.put(sheet, await stored.read(`${folder}${sheet}`), 'image/jpeg')
  await outputs.put(name, tiles, 'text/vtt')
  return `${outputs.prefix}${name}`
}

async function copyWaveform({ outputs, stored, part }: Copy, key: string | null): Promise<string | null> {
  if (key === null) return null
  const name = 'waveform.gz'
  await outputs.put(name, await waveformPart(await stored.read(key), part), 'application/gzip')
  return `${outputs.prefix}${name}`
}
