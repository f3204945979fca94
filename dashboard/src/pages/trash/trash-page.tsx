import { useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import { useOrganization } from '../../app/organization/organization.tsx'
import { PageTitle } from '../../app/texts/page-title.tsx'
import { useProblemText } from '../../app/texts/problem-text.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { icons } from '../../ui/icons.tsx'
import { LazyConfirmDialog } from '../../ui/lazy-confirm-dialog.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { useFocusAfterRemoval } from './focus-after-removal.ts'
import { type TrashEntry, trashQuery } from './trash-entries.ts'
import styles from './trash-page.module.css'
import { TrashRow } from './trash-row.tsx'
import { useTrashActions, useTrashEvents } from './use-trash-actions.ts'

export const trashPage = createLazyRoute('/signed-in/o/$organization/trash')({ component: TrashPage })

function TrashPage() {
  const { t } = useLingui()
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <PageTitle title={t`Trash`} />
        <p>{t`Deleted videos and folders can be restored until they are deleted forever.`}</p>
      </header>
      <Entries />
    </div>
  )
}

function Entries(): ReactNode {
  const { t } = useLingui()
  const organization = useOrganization()
  const problemText = useProblemText()
  const actions = useTrashActions()
  const [asked, setAsked] = useState<TrashEntry>()
  useTrashEvents()
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    trashQuery(organization),
  )
  const entries = data?.pages.flatMap((page) => page.entries) ?? []
  const { list, mark } = useFocusAfterRemoval(entries)
  if (error) {
    return (
      <EmptyState icon={icons.warning} title={t`The trash cannot be shown`} text={problemText(error)}>
        <Button onClick={() => void refetch()}>{t`Try again`}</Button>
      </EmptyState>
    )
  }
  if (!data) return <div aria-busy="true" />
  if (entries.length === 0) {
    const text = t`Videos and folders that you delete appear here and can be restored.`
    return <EmptyState icon={icons.trash} title={t`The trash is empty`} text={text} />
  }
  return (
    <>
      {organization.can('assets:write') && <EmptyTrash onConfirm={actions.empty} />}
      <div ref={list}>
        <RowList label={t`Deleted videos and folders`}>
          {entries.map((entry, index) => (
            <TrashRow
              key={entry.id}
              entry={entry}
              onRestore={() => {
                mark(entry, index)
                void actions.restore(entry)
              }}
              onDelete={() => {
                mark(entry, index)
                setAsked(entry)
              }}
            />
          ))}
        </RowList>
      </div>
      {hasNextPage && (
        <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t`Show more`}
        </Button>
      )}
      <Suspense>
        {asked && <DeleteDialog entry={asked} onClose={() => setAsked(undefined)} onConfirm={actions.deleteForever} />}
      </Suspense>
    </>
  )
}

function EmptyTrash({ onConfirm }: { readonly onConfirm: () => Promise<void> }) {
  const { t } = useLingui()
  const [isAsked, setAsked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const empty = async () => {
    setAsked(false)
    setBusy(true)
    await onConfirm()
    setBusy(false)
  }
  return (
    <div className={styles.empty}>
      <Button look="danger" icon={icons.trash} isBusy={isBusy} onClick={() => setAsked(true)}>
        {t`Empty trash`}
      </Button>
      <Suspense>
        {isAsked && (
          <LazyConfirmDialog
            title={t`Empty the trash?`}
            confirmLabel={t`Delete everything forever`}
            onClose={() => setAsked(false)}
            onConfirm={() => void empty()}
          >
            {t`All videos and folders in the trash are deleted from storage. This cannot be undone.`}
          </LazyConfirmDialog>
        )}
      </Suspense>
    </div>
  )
}

type DeleteProps = {
  readonly entry: TrashEntry
  readonly onClose: () => void
  readonly onConfirm: (entry: TrashEntry) => Promise<void>
}

function DeleteDialog({ entry, onClose, onConfirm }: DeleteProps) {
  const { t } = useLingui()
  const { title } = entry
  return (
    <LazyConfirmDialog
      title={t`Delete ${title} forever?`}
      confirmLabel={t`Delete forever`}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        void onConfirm(entry)
      }}
    >
      {entry.kind === 'folder'
        ? t`The folder and all videos in it are deleted from storage. This cannot be undone.`
        : t`The video, its versions and captions are deleted from storage. This cannot be undone.`}
    </LazyConfirmDialog>
  )
}
