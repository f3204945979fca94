import { useLingui } from '@lingui/react/macro'
import { createElement, useEffect, useMemo, useRef, useState } from 'react'
import { useShortcuts } from '../../../app/keyboard/shortcuts.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useStartTime } from '../start-time.ts'
import { useVideo } from '../video-context.tsx'
import { shownKey, useVideoQuery, type VideoAsset } from '../video-data.ts'
import styles from './player.module.css'
import { loadPlayer } from './player-element.ts'
import { Waiting } from './waiting.tsx'

/** The video, as soon as its first part can be played, and before that what it is waiting for. */
export function Player() {
  const { asset } = useVideo()
  const { src, renew } = usePlaybackUrl(asset)
  // The URL stays the same if another part is shown, and the element loads it only once.
  return src === null ? <Waiting /> : <PlayerView key={shownKey(asset)} src={src} onExpired={renew} />
}

/**
 * The playback URL contains a token that is different in every response. The player would start again with each one, so
 * the first URL is kept until it expires, or another version or another part plays.
 */
function usePlaybackUrl(asset: VideoAsset) {
  const { refetch } = useVideoQuery(asset.id)
  const url = asset.video.playback_url
  const shown = shownKey(asset)
  const [kept, setKept] = useState({ shown, url })
  if (kept.shown !== shown || (kept.url === null && url !== null)) setKept({ shown, url })
  const renew = async () => {
    const { data } = await refetch()
    if (data) setKept({ shown: shownKey(data), url: data.video.playback_url })
  }
  return { src: kept.url, renew: () => void renew() }
}

type ViewProps = { readonly src: string; readonly onExpired: () => void }

function PlayerView({ src, onExpired }: ViewProps) {
  const { t } = useLingui()
  const { asset, player } = useVideo()
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    loadPlayer().catch(() => setFailed(true))
  }, [])
  useShownTitle()
  useTranscriptShortcut()
  const start = useStart()
  useEffect(() => {
    const element = player.current
    const check = (event: Event) => {
      if ((event as CustomEvent<{ code: string }>).detail?.code === 'expired') onExpired()
    }
    element?.addEventListener('error', check)
    return () => element?.removeEventListener('error', check)
  })
  if (hasFailed) return <Notice kind="error">{t`The player could not be loaded. Reload the page.`}</Notice>
  const { width, height, cover_thumbnail_url: poster } = asset.video
  const ratio = { aspectRatio: width && height ? `${width} / ${height}` : '16 / 9' }
  const properties = { ref: player, src, start, poster: poster ?? undefined, resume: 'off', className: styles.player }
  return (
    <div className={styles.frame} style={ratio}>
      {createElement('reelkeep-player', properties)}
    </div>
  )
}

/** The second at which the player starts. A later navigation, for example to another result of a search, seeks. */
function useStart(): number | undefined {
  const { player } = useVideo()
  const { seconds, key } = useStartTime()
  const [first] = useState({ seconds, key })
  useEffect(() => {
    if (key !== first.key && seconds !== undefined) player.current?.seek?.(seconds)
  }, [seconds, key, first, player])
  return first.seconds
}

function useTranscriptShortcut(): void {
  const { t } = useLingui()
  const { player } = useVideo()
  const label = t`Search in the transcript`
  const group = t`Video`
  useShortcuts(
    useMemo(() => [{ keys: '/', label, group, run: () => player.current?.openTranscript?.() }], [label, group, player]),
  )
}

/** The player has read the title when it started. It reads it again after a change. */
function useShownTitle(): void {
  const { asset, player } = useVideo()
  const { title } = asset
  const shown = useRef(title)
  useEffect(() => {
    if (shown.current === title) return
    shown.current = title
    void player.current?.refresh?.()
  }, [title, player])
}
