import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { useAssetActions } from '../../library/actions/use-asset-actions.ts'
import { folderQuery } from '../../library/tree/folder-levels.ts'
import { useVideo } from '../video-context.tsx'
import { videoKey } from '../video-data.ts'
import styles from './details.module.css'

const MoveDialog = lazy(async () => ({
  default: (await import('../../library/actions/move-dialog.tsx')).MoveDialog,
}))

/** The folder with the folders above it. Null at the top level, undefined while it is read or if the role may not. */
export function useFolder() {
  const organization = useOrganization()
  const { asset } = useVideo()
  const folder = asset.parent_id
  const isRead = folder !== null && organization.can('folders:read')
  const { data } = useQuery({ ...folderQuery(organization, folder ?? ''), enabled: isRead })
  return folder === null ? null : data
}

export function FolderField() {
  const { t } = useLingui()
  const { id: organization } = useOrganization()
  const { asset, canEdit } = useVideo()
  const { move } = useAssetActions()
  const [isMoving, setMoving] = useState(false)
  const folder = useFolder()
  const title = folder
    ? [...folder.path.map((above) => above.title), folder.title].join(' / ')
    : t`Top level (no folder)`
  const target = { kind: 'listed' as const, assets: [{ id: asset.id, parentId: asset.parent_id, tags: asset.tags }] }
  return (
    <div className={styles.folder}>
      <Link
        to="/o/$organization/library"
        params={{ organization }}
        search={asset.parent_id === null ? {} : { folder: asset.parent_id }}
      >
        {icons.folder}
        <span>{folder === undefined ? '…' : title}</span>
      </Link>
      {canEdit && (
        <Button size="small" onClick={() => setMoving(true)}>
          {t`Move to…`}
        </Button>
      )}
      <Suspense>
        {isMoving && (
          <MoveDialog
            title={t`Move video`}
            onClose={() => setMoving(false)}
            onMove={(destination) => {
              setMoving(false)
              const refresh = () => queryClient.invalidateQueries({ queryKey: videoKey(organization, asset.id) })
              void move(target, destination).then(refresh)
            }}
          />
        )}
      </Suspense>
    </div>
  )
}
