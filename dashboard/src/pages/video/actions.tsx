import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useShortcuts } from '../../app/keyboard/shortcuts.tsx'
import { useOrganization } from '../../app/organization/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { icons } from '../../ui/icons.tsx'
import { mediaIcons } from '../../ui/media-icons.tsx'
import { useAssetActions } from '../library/actions/use-asset-actions.ts'
import { CutMenu } from './clips/cut-menu.tsx'
import { useVideo } from './video-context.tsx'
import styles from './video-page.module.css'

const ShareDialog = lazy(async () => ({ default: (await import('./share/share-dialog.tsx')).ShareDialog }))

/** Actions for the whole video that the role permits. */
export function Actions() {
  const { t } = useLingui()
  const { id: organization, can } = useOrganization()
  const { asset, canEdit } = useVideo()
  const { moveToTrash } = useAssetActions()
  const navigate = useNavigate()
  const [isSharing, setSharing] = useState(false)
  const canShare = can('playback:write') && asset.video.status !== 'Error'
  const share = t`Share video`
  const group = t`Video`
  useShortcuts(
    useMemo(
      () => (canShare ? [{ keys: 's', label: share, group, run: () => setSharing(true) }] : []),
      [canShare, share, group],
    ),
  )
  const trash = async () => {
    await moveToTrash({ kind: 'listed', assets: [{ id: asset.id, parentId: asset.parent_id, tags: asset.tags }] })
    // The message with the undo stays.
    const search = asset.parent_id === null ? {} : { folder: asset.parent_id }
    await navigate({ to: '/o/$organization/library', params: { organization }, search })
  }
  if (!canShare && !canEdit) return null
  return (
    <div className={styles.actions}>
      <CutMenu />
      {canEdit && !asset.legal_hold && (
        <Button look="quiet" icon={icons.trash} onClick={() => void trash()}>
          {t`Move to trash`}
        </Button>
      )}
      {canShare && (
        <Button look="primary" icon={mediaIcons.share} onClick={() => setSharing(true)}>
          {t`Share`}
        </Button>
      )}
      <Suspense>{isSharing && <ShareDialog onClose={() => setSharing(false)} />}</Suspense>
    </div>
  )
}
