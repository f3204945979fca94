import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useProblemText } from '../../../app/texts/problem-text.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { icons } from '../../../ui/icons.tsx'
import { ChooseVideosButton } from '../../uploads/dock/upload-button.tsx'
import { isFiltered, type LibrarySearch, withoutFilters } from '../library-search.ts'

type Props = { readonly search: LibrarySearch; readonly error: unknown; readonly onRetry: () => void }

/** Says why no videos are shown, and what to do. */
export function EmptyLibrary({ search, error, onRetry }: Props): ReactNode {
  const { t } = useLingui()
  const problemText = useProblemText()
  const { id, can } = useOrganization()
  const navigate = useNavigate()
  if (error) {
    return (
      <EmptyState icon={icons.warning} title={t`The videos cannot be shown`} text={problemText(error)}>
        <Button onClick={onRetry}>{t`Try again`}</Button>
      </EmptyState>
    )
  }
  if (isFiltered(search)) {
    const clear = () =>
      void navigate({
        ...{ to: '/o/$organization/library', params: { organization: id } },
        search: withoutFilters(search),
      })
    return (
      <EmptyState icon={icons.search} title={t`Nothing found`} text={t`No video matches your search and filters.`}>
        <Button onClick={clear}>{t`Clear search and filters`}</Button>
      </EmptyState>
    )
  }
  const mayUpload = can('uploads:write')
  if (search.folder !== undefined) {
    const text = mayUpload
      ? t`Drop files here to upload them, or move videos here from other folders.`
      : t`Videos that are uploaded to this folder appear here.`
    return (
      <EmptyState icon={icons.folder} title={t`This folder has no videos`} text={text}>
        <ChooseVideosButton folder={search.folder} />
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={icons.library}
      title={mayUpload ? t`Upload your first video` : t`No videos yet`}
      text={
        mayUpload
          ? t`Drop files or whole folders anywhere on this page. Videos appear here as soon as the upload starts.`
          : t`Videos appear here as soon as someone uploads them.`
      }
    >
      <ChooseVideosButton />
    </EmptyState>
  )
}
