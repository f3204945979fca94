import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { PageTitle } from '../../../app/texts/page-title.tsx'
import { Button } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { UploadButton } from '../../uploads/dock/upload-button.tsx'
import type { FolderQuestion } from '../actions/folder-dialogs.tsx'
import type { LibrarySearch } from '../library-search.ts'
import { folderQuery } from '../tree/folder-levels.ts'
import styles from './library-page.module.css'

const FolderDialogs = lazy(async () => ({ default: (await import('../actions/folder-dialogs.tsx')).FolderDialogs }))

type Props = {
  readonly search: LibrarySearch
  /** Undefined while it is not known, null if more than 10,000 videos match. */
  readonly count: number | null | undefined
}

export function LibraryHeader({ search: { folder }, count }: Props) {
  const { t } = useLingui()
  const organization = useOrganization()
  const { data } = useQuery({ ...folderQuery(organization, folder ?? ''), enabled: folder !== undefined })
  const title = folder === undefined ? t`All videos` : (data?.title ?? '…')
  return (
    <header className={styles.head}>
      <div className={styles.titles}>
        {folder !== undefined && <Breadcrumb path={data?.path ?? []} />}
        <div className={styles.title}>
          <PageTitle title={title} />
          <CountText count={count} />
        </div>
      </div>
      <div className={styles.headActions}>
        {organization.can('folders:create') && <NewFolder parent={data && folder ? data : undefined} />}
        <UploadButton {...(folder && { folder })} />
      </div>
    </header>
  )
}

function CountText({ count }: { readonly count: number | null | undefined }): ReactNode {
  const { t, i18n } = useLingui()
  const texts = () => {
    if (count === undefined) return ''
    if (count === null) return t`more than ${i18n.number(10_000)} videos`
    return t`${plural(count, { one: '# video', other: '# videos' })}`
  }
  return (
    <span className={styles.count} role="status">
      {texts()}
    </span>
  )
}

/** The way from all videos to the folder. The folder that a member is limited to is not part of it. */
function Breadcrumb({ path }: { readonly path: readonly { readonly uuid: string; readonly title: string }[] }) {
  const { t } = useLingui()
  const { id, membership } = useOrganization()
  const params = { organization: id }
  return (
    <nav className={styles.breadcrumb} aria-label={t`Path`}>
      <Link to="/o/$organization/library" params={params} search={{}}>
        {t`All videos`}
      </Link>
      {path
        .filter(({ uuid }) => uuid !== membership.folder_uuid)
        .map(({ uuid, title }) => (
          <span key={uuid}>
            {icons.chevronRight}
            <Link to="/o/$organization/library" params={params} search={{ folder: uuid }}>
              {title}
            </Link>
          </span>
        ))}
    </nav>
  )
}

function NewFolder({ parent }: { readonly parent: { readonly uuid: string; readonly title: string } | undefined }) {
  const { t } = useLingui()
  const { id } = useOrganization()
  const navigate = useNavigate()
  const [question, setQuestion] = useState<FolderQuestion>()
  return (
    <>
      <Button icon={icons.newFolder} aria-label={t`New folder`} onClick={() => setQuestion({ kind: 'create', parent })}>
        <span className={styles.wide}>{t`New folder`}</span>
      </Button>
      {question && (
        <Suspense>
          <FolderDialogs
            question={question}
            onClose={() => setQuestion(undefined)}
            onCreated={(folder) =>
              void navigate({ to: '/o/$organization/library', params: { organization: id }, search: { folder } })
            }
          />
        </Suspense>
      )}
    </>
  )
}
