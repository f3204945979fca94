import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { ListPlaceholder, ListProblem } from '../../../app/paging/paged-list.tsx'
import { type Pages, usePages } from '../../../app/paging/use-pages.ts'
import { PageTitle } from '../../../app/texts/page-title.tsx'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { icons } from '../../../ui/icons.tsx'
import { type SearchAddress, searchAddress } from '../search-address.ts'
import { type FoundVideo, VideoResult } from './results.tsx'
import { SearchBar } from './search-bar.tsx'
import styles from './search-page.module.css'
import { useArrowKeys } from './use-arrow-keys.ts'

export const searchPage = createLazyRoute('/signed-in/o/$organization/search')({ component: SearchPage })

/** Search in what videos say and show. The words, the kind of text and the folder are in the address. */
function SearchPage() {
  const { t } = useLingui()
  const { id } = useOrganization()
  const address = searchPage.useSearch()
  const navigate = useNavigate()
  const page = useRef<HTMLDivElement>(null)
  const onKeyDown = useArrowKeys(page)
  const change = (changes: { readonly [Name in keyof SearchAddress]?: SearchAddress[Name] | undefined }) =>
    void navigate({
      ...{ to: '/o/$organization/search', params: { organization: id }, replace: true },
      search: searchAddress({ ...address, ...changes }),
    })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The keys move the focus between links, which are interactive.
    <div ref={page} className={styles.page} onKeyDown={onKeyDown}>
      <header className={styles.head}>
        <PageTitle title={t`Search`} />
      </header>
      <SearchBar address={address} onChange={change} />
      {address.q === undefined ? (
        <EmptyState
          icon={icons.search}
          title={t`Find the moment`}
          text={t`Type words that are said, or that are in a title, description, tag or chapter. A result opens the video at that second.`}
        />
      ) : (
        <Results address={{ ...address, q: address.q }} onChange={change} />
      )}
    </div>
  )
}

const PAGE_LENGTH = 20

type ResultsProps = {
  readonly address: SearchAddress & { readonly q: string }
  readonly onChange: (changes: { readonly in?: undefined; readonly folder?: undefined }) => void
}

function Results({ address, onChange }: ResultsProps): ReactNode {
  const { t } = useLingui()
  const { client } = useOrganization()
  const pages = usePages<FoundVideo>(['search', address], (cursor, options) =>
    client.search.moments({ ...address, recursive: true, limit: PAGE_LENGTH, ...cursor }, options),
  )
  const isLimited = address.in !== undefined || address.folder !== undefined
  if (pages.isPending) return <ListPlaceholder />
  if (pages.error && pages.items.length === 0) return <ListProblem error={pages.error} onRetry={pages.retry} />
  if (pages.items.length === 0) {
    return (
      <EmptyState
        icon={icons.search}
        title={t`Nothing found`}
        text={t`No video matches these words. Try fewer or different words.`}
      >
        {isLimited && (
          <Button onClick={() => onChange({ in: undefined, folder: undefined })}>{t`Search everything`}</Button>
        )}
      </EmptyState>
    )
  }
  return (
    <>
      <CountText pages={pages} />
      <ul className={styles.results} aria-label={t`Videos`}>
        {pages.items.map((found) => (
          <VideoResult key={found.asset.id} found={found} />
        ))}
      </ul>
      {pages.error && <ListProblem error={pages.error} onRetry={pages.retry} />}
      {pages.hasMore && (
        <div className={styles.more}>
          <Button isBusy={pages.isLoadingMore} onClick={pages.loadMore}>
            {t`Show more`}
          </Button>
        </div>
      )}
    </>
  )
}

/** Number of videos. It is not known for very common words, and when meanings are compared. */
function CountText({ pages: { count } }: { readonly pages: Pages<FoundVideo> }) {
  const { t } = useLingui()
  const text =
    count === undefined ? t`Most relevant videos` : t`${plural(count, { one: '# video', other: '# videos' })}`
  return (
    <p className={styles.count} role="status">
      {text}
    </p>
  )
}
