import { useLingui } from '@lingui/react/macro'
import { lazy, Suspense, useState } from 'react'
import { icons } from '../../../ui/icons.tsx'
import { mediaIcons } from '../../../ui/media-icons.tsx'
import { MenuItem, MenuLine } from '../../../ui/menu.tsx'
import { MoreMenu } from '../../../ui/more-menu.tsx'
import { saveFile } from '../../video/tracks/save-file.ts'
import { useVideo } from '../../video/video-context.tsx'
import { useCaptions } from '../captions-context.tsx'
import { writeSrt, writeWebVtt } from '../formats/webvtt.ts'

const VersionsDialog = lazy(async () => ({ default: (await import('./versions-dialog.tsx')).VersionsDialog }))

/** What is needed seldom: files, earlier versions, and shifting all times. */
export function CaptionsMenu({ onShift }: { readonly onShift: () => void }) {
  const { t } = useLingui()
  const { track, editor } = useCaptions()
  const { asset } = useVideo()
  const [isListing, setListing] = useState(false)
  const name = `${asset.title}.${track.language}`
  return (
    <>
      <MoreMenu label={t`More actions`}>
        <MenuItem icon={mediaIcons.download} onAction={() => saveFile(`${name}.vtt`, writeWebVtt(editor.cues))}>
          {t`Export WebVTT`}
        </MenuItem>
        <MenuItem icon={mediaIcons.download} onAction={() => saveFile(`${name}.srt`, writeSrt(editor.cues))}>
          {t`Export SRT`}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={icons.chevronRight} onAction={onShift}>{t`Shift the times`}</MenuItem>
        <MenuItem icon={icons.activity} onAction={() => setListing(true)}>{t`Earlier versions`}</MenuItem>
      </MoreMenu>
      <Suspense>{isListing && <VersionsDialog onClose={() => setListing(false)} />}</Suspense>
    </>
  )
}
