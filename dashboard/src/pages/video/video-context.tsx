import { createContext, type ReactNode, type RefObject, use, useMemo, useRef } from 'react'
import { useOrganization } from '../../app/organization/organization.tsx'
import type { PlayerElement } from './player/player-element.ts'
import type { VideoAsset } from './video-data.ts'

type Video = {
  readonly asset: VideoAsset
  /** Null while nothing can be played. */
  readonly player: RefObject<PlayerElement | null>
  /** Whether the user's role permits changes. Videos in the trash cannot be changed. */
  readonly canEdit: boolean
}

const VideoContext = createContext<Video | undefined>(undefined)

export function VideoProvider({ asset, children }: { readonly asset: VideoAsset; readonly children: ReactNode }) {
  const { can } = useOrganization()
  const player = useRef<PlayerElement>(null)
  const canEdit = can('assets:write')
  const video = useMemo(() => ({ asset, player, canEdit }), [asset, canEdit])
  return <VideoContext value={video}>{children}</VideoContext>
}

/** The video of the page. */
export function useVideo(): Video {
  const video = use(VideoContext)
  if (!video) throw new Error('This component needs a video.')
  return video
}
