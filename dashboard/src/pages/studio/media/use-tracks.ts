import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useVideo } from '../../video/video-context.tsx'
import { shownKey } from '../../video/video-data.ts'
import { parseWaveform } from '../timeline/waveform.ts'
import { tilesOf } from './filmstrip.ts'

/** An address contains a token that is different in every response, so the first one of what is shown is kept. */
function useKept(found: string | undefined): string | undefined {
  const { asset } = useVideo()
  const shown = shownKey(asset)
  const [kept, setKept] = useState({ shown, url: found })
  if (kept.shown !== shown || (kept.url === undefined && found !== undefined)) setKept({ shown, url: found })
  return kept.url
}

/** Reads a file of the video once. The timeline works without it, so an error means that there is none. */
function useTrack<T>(url: string | undefined, name: string, read: (response: Response, url: string) => Promise<T>) {
  const { id: organization } = useOrganization()
  const { asset } = useVideo()
  return useQuery({
    // Not below the key of the video, which is read again after each of its events.
    queryKey: ['o', organization, 'studio', asset.id, name, shownKey(asset)] as const,
    enabled: url !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: 1,
    queryFn: async ({ signal }) => {
      const response = await fetch(url ?? '', { signal })
      if (!response.ok) throw new Error(`The ${name} was refused with status ${response.status}.`)
      return read(response, url ?? '')
    },
  }).data
}

const readTiles = async (response: Response, url: string) => tilesOf(await response.text(), url)
const unpacked = (response: Response) => new Response(response.body?.pipeThrough(new DecompressionStream('gzip')))
const readWaveform = async (response: Response) => parseWaveform(await unpacked(response).arrayBuffer()) ?? null

/** The filmstrip, or the storyboard of a video that is too short for a filmstrip. */
export function useFilmstrip() {
  const { tracks } = useVideo().asset.video
  const urlOf = (kind: string) => tracks.find((track) => track.kind === kind)?.url
  return useTrack(useKept(urlOf('filmstrip') ?? urlOf('storyboard')), 'filmstrip', readTiles)
}

export const useWaveform = () =>
  useTrack(useKept(useVideo().asset.video.waveform_url ?? undefined), 'waveform', readWaveform) ?? undefined
