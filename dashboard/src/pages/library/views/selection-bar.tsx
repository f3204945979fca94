import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { LISTED_MAX } from '../actions/asset-target.ts'
import { useAssetActions } from '../actions/use-asset-actions.ts'
import { everything, nothing, type Selection, selectedCount } from '../assets/selection.ts'
import styles from './library-page.module.css'
import { targetOf } from './selection-target.ts'
import type { Videos } from './use-videos.ts'

const MoveDialog = lazy(async () => ({ default: (await import('../actions/move-dialog.tsx')).MoveDialog }))
const TagDialog = lazy(async () => ({ default: (await import('./tag-dialog.tsx')).TagDialog }))
const ConfirmDialog = lazy(async () => ({ default: (await import('../../../ui/confirm-dialog.tsx')).ConfirmDialog }))

type Props = {
  readonly list: Videos
  readonly selection: Selection
  readonly onSelect: (selection: Selection) => void
}

/** What can be done with the selected videos. */
export function SelectionBar({ list, selection, onSelect }: Props): ReactNode {
  const { t, i18n } = useLingui()
  const [question, setQuestion] = useState<'move' | 'tag' | 'delete'>()
  const actions = useAssetActions()
  const count = selectedCount(selection, list.count)
  const number = count === null ? t`More than ${i18n.number(10_000)}` : i18n.number(count)
  const clear = () => onSelect(nothing)
  const act = (action: (target: ReturnType<typeof targetOf>) => void) => {
    const target = targetOf(list, selection)
    setQuestion(undefined)
    clear()
    action(target)
  }
  const trash = () => act((target) => void actions.moveToTrash(target))
  const videos = count === null ? number : t`${plural(count, { one: '# video', other: '# videos' })}`
  const isAllOffered = !selection.isAll && list.count !== selection.ids.size
  return (
    <>
      <div className={styles.selection} role="toolbar" aria-label={t`Selected videos`}>
        <span className={styles.selectedCount} role="status">{t`${number} selected`}</span>
        {isAllOffered && (
          <Button size="small" look="quiet" onClick={() => onSelect(everything)}>
            {t`Select all`}
          </Button>
        )}
        <Button size="small" look="quiet" icon={icons.move} onClick={() => setQuestion('move')}>
          {t`Move to…`}
        </Button>
        <Button size="small" look="quiet" icon={icons.tag} onClick={() => setQuestion('tag')}>
          {t`Add tags`}
        </Button>
        <Button
          size="small"
          look="quiet"
          icon={icons.trash}
          onClick={() => ((count ?? Number.POSITIVE_INFINITY) > LISTED_MAX ? setQuestion('delete') : trash())}
        >
          {t`Delete`}
        </Button>
        <IconButton label={t`Clear selection`} icon={icons.close} onClick={clear} />
      </div>
      <Suspense>
        {question === 'move' && (
          <MoveDialog
            title={t`Move ${videos} to…`}
            onClose={() => setQuestion(undefined)}
            onMove={(folder) => act((target) => void actions.move(target, folder))}
          />
        )}
        {question === 'tag' && (
          <TagDialog
            title={t`Add tags to ${videos}`}
            onClose={() => setQuestion(undefined)}
            onSave={(tags) => act((target) => void actions.addTags(target, tags))}
          />
        )}
        {question === 'delete' && (
          <ConfirmDialog
            title={t`Move ${videos} to the trash?`}
            confirmLabel={t`Move to trash`}
            onConfirm={trash}
            onClose={() => setQuestion(undefined)}
          >
            {t`You can restore them from the trash.`}
          </ConfirmDialog>
        )}
      </Suspense>
    </>
  )
}
