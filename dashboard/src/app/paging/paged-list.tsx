import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { useProblemText } from '../texts/problem-text.ts'
import styles from './paged-list.module.css'
import type { Pages } from './use-pages.ts'

const PLACEHOLDERS = [1, 2, 3]

type Props<Item> = {
  readonly label: string
  readonly pages: Pages<Item>
  /** Shown instead of a list without entries. */
  readonly empty: ReactNode
  readonly row: (item: Item) => ReactNode
}

/** A list with its states: loading, failed, empty, and a button for the next page. */
export function PagedList<Item>({ label, pages, empty, row }: Props<Item>) {
  const { t } = useLingui()
  if (pages.isPending) return <ListPlaceholder />
  if (pages.error && pages.items.length === 0) return <ListProblem error={pages.error} onRetry={pages.retry} />
  if (pages.items.length === 0) return empty
  return (
    <div className={styles.list}>
      <RowList label={label}>{pages.items.map(row)}</RowList>
      {pages.error && <ListProblem error={pages.error} onRetry={pages.retry} />}
      {pages.hasMore && (
        <div className={styles.more}>
          <Button isBusy={pages.isLoadingMore} onClick={pages.loadMore}>
            {t`Load more`}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Keeps the place of a list that is being loaded. */
export function ListPlaceholder() {
  const { t } = useLingui()
  return (
    <div className={styles.placeholder} role="status" aria-label={t`Loading`}>
      {PLACEHOLDERS.map((number) => (
        <span key={number} />
      ))}
    </div>
  )
}

export function ListProblem({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { t } = useLingui()
  const problemText = useProblemText()
  return (
    <Notice kind="error">
      <div className={styles.problem}>
        <p>{problemText(error)}</p>
        <Button size="small" onClick={onRetry}>
          {t`Try again`}
        </Button>
      </div>
    </Notice>
  )
}
