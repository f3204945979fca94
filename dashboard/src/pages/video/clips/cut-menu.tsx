import { useLingui } from '@lingui/react/macro'
import { lazy, Suspense, useState } from 'react'
import { Button } from 'react-aria-components'
import { withTexts } from '../../../app/texts/languages.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { mediaIcons } from '../../../ui/media-icons.tsx'
import { Menu, MenuItem, MenuLine } from '../../../ui/menu.tsx'
import { useVideo } from '../video-context.tsx'
import { shownKey } from '../video-data.ts'
import { useRender } from './use-created.ts'
import { useTrim } from './use-trim.ts'

const PartDialog = lazy(async () => ({
  default: (await withTexts('studio', import('../../clips/part-dialog.tsx'))).PartDialog,
}))

/** What can be made of a part of the video. Not offered if the role does not permit it, or before the video is ready. */
export function CutMenu() {
  const { t } = useLingui()
  const { asset, player, canEdit } = useVideo()
  const { remove } = useTrim()
  const { canRender, render } = useRender()
  const [opened, setOpened] = useState<{ readonly kind: 'clip' | 'trim'; readonly seconds: number }>()
  if (!canEdit || asset.video.status !== 'Completed') return null
  const isPart = asset.video.trim !== null || asset.video.clip !== null
  const open = (kind: 'clip' | 'trim') => {
    player.current?.pause()
    setOpened({ kind, seconds: player.current?.currentTime ?? 0 })
  }
  const trigger = (
    <Button className={buttonClass({ look: 'quiet' })}>
      {mediaIcons.cut}
      {t`Cut`}
      {icons.chevronDown}
    </Button>
  )
  return (
    <>
      <Menu label={t`Cut`} trigger={trigger}>
        <MenuItem icon={mediaIcons.film} onAction={() => open('clip')}>{t`Make a clip`}</MenuItem>
        <MenuItem icon={mediaIcons.trim} onAction={() => open('trim')}>{t`Trim the video`}</MenuItem>
        {isPart && <MenuLine />}
        {isPart && canRender && (
          <MenuItem icon={icons.copy} onAction={() => render.mutate()}>{t`Render as a separate video`}</MenuItem>
        )}
        {asset.video.trim && (
          <MenuItem icon={icons.restore} onAction={() => remove.mutate()}>{t`Undo the trim`}</MenuItem>
        )}
      </Menu>
      <Suspense>
        {opened && (
          <PartDialog
            key={shownKey(asset)}
            kind={opened.kind}
            initialSeconds={opened.seconds}
            onClose={() => setOpened(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}
