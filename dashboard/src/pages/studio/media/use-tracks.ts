import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useVideo } from '../../video/video-context.tsx'
import { parseWaveform } from '../timeline/waveform.ts'
import { tilesOf } from './filmstrip.ts'

/**
 * The address of the first of these kinds of tracks. It contains a token that is different in every response, so the
 * first address is kept.
 */
function useTrackUrl(...kinds: readonly string[]): string | undefined {
  const { asset } = useVideo()
  const found = kinds
    .map((kind) => asset.video.tracks.find((track) => track.kind === kind)?.url)
    .find((url) => url !== undefined)
  const [kept, setKept] = useState({ version: asset.version, url: found })
  if (kept.version !== asset.version || (kept.url === undefined && found !== undefined))
    setKept({ version: asset.version, url: found })
  return kept.url
}

/** Reads a file of the video once. The timeline works without it, so an error means that there is none. */
function useTrack<T>(url: string | undefined, name: string, read: (response: Response, url: string) => Promise<T>) {
  const { id: organization } = useOrganization()
  const { asset } = useVideo()
  return useQuery({
    // Not below the key of the video, which is read again after each of its events.
    queryKey: ['o', organization, 'studio', asset.id, name, asset.version] as const,
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
const readWaveform = async (response: Response) => parseWaveform(await response.arrayBuffer()) ?? null

export const useFilmstrip = () => useTrack(useTrackUrl('filmstrip', 'storyboard'), 'filmstrip', readTiles)

export const useWaveform = () => useTrack(useTrackUrl('waveform'), 'waveform', readWaveform) ?? undefined
