import { plural } from '@lingui/core/macro'
import { Plural, useLingui } from '@lingui/react/macro'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { isUnderWay, type QueuedUpload } from 'reelkeep/queue'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { IconButton } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import styles from './dock.module.css'
import { NeededFiles } from './needed-files.tsx'
import { percentOf, secondsLeft } from './rows/amounts.ts'
import { UploadRow } from './rows/upload-row.tsx'
import { useTimeLeftText } from './rows/use-upload-text.ts'
import { useUploadList, useUploads } from './use-uploads.ts'

/** Rows in the dock; the page has all of them. */
const ROWS_MAX = 30

/** Shows the uploads at the edge of every page, except on the page of uploads. */
export function Dock({ preparing }: { readonly preparing: number }) {
  const { t } = useLingui()
  const uploads = useUploadList()
  const { pathname } = useLocation()
  const [isOpen, setIsOpen] = useState(true)
  useCollapse(uploads, pathname, () => setIsOpen(false))
  const isHidden = pathname.endsWith('/uploads') || (uploads.length === 0 && preparing === 0)
  return (
    <>
      <Announcement uploads={uploads} />
      {!isHidden && (
        <section className={styles.dock} aria-label={t`Uploads`}>
          <header className={styles.head}>
            <Summary uploads={uploads} preparing={preparing} />
            <IconButton
              label={isOpen ? t`Collapse uploads` : t`Expand uploads`}
              icon={isOpen ? icons.chevronDown : icons.chevronUp}
              aria-expanded={isOpen}
              onClick={() => setIsOpen(!isOpen)}
            />
            <CloseButton uploads={uploads} />
          </header>
          {isOpen && <Rows uploads={uploads} />}
        </section>
      )}
    </>
  )
}

const isSent = ({ state }: QueuedUpload) => ['processing', 'done', 'cancelled'].includes(state)

/** When all files are sent, the list covers neither the next page nor this one after a reload. */
function useCollapse(uploads: readonly QueuedUpload[], pathname: string, collapse: () => void): void {
  const collapseIfSent = useEffectEvent(() => {
    if (uploads.every(isSent)) collapse()
  })
  const isKnown = uploads.length > 0
  const shown = useRef(pathname)
  useEffect(() => {
    if (isKnown) collapseIfSent()
  }, [isKnown])
  useEffect(() => {
    if (shown.current !== pathname) collapseIfSent()
    shown.current = pathname
  }, [pathname])
}

/** The list can be closed when nothing is left to upload. */
function CloseButton({ uploads }: { readonly uploads: readonly QueuedUpload[] }) {
  const { t } = useLingui()
  const queue = useUploads()?.queue
  const hasWork = uploads.some((upload) => isUnderWay(upload) || ['paused', 'needs-file'].includes(upload.state))
  if (hasWork || uploads.length === 0) return null
  return <IconButton label={t`Clear and close uploads`} icon={icons.close} onClick={() => void queue?.remove()} />
}

type Summarized = { readonly uploads: readonly QueuedUpload[] }

/** Number of uploads, percent and time left in the heading. */
function Summary({ uploads, preparing }: Summarized & { readonly preparing: number }) {
  const { i18n } = useLingui()
  const timeLeft = useTimeLeftText()
  const left = uploads.filter(isUnderWay)
  const { percent, seconds } = totalOf(uploads)
  if (preparing > 0 && left.length === 0)
    return (
      <h2>
        <Plural value={preparing} one="Preparing # file" other="Preparing # files" />
      </h2>
    )
  if (left.length === 0) return <Ended uploads={uploads} />
  return (
    <div className={styles.summary}>
      <h2>
        <Plural value={left.length} one="Uploading # file" other="Uploading # files" />
      </h2>
      <p>
        {[i18n.number(percent / 100, { style: 'percent' }), seconds === undefined ? undefined : timeLeft(seconds)]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </div>
  )
}

/** The heading when all files are sent. */
function Ended({ uploads }: Summarized) {
  const { t } = useLingui()
  const processing = uploads.filter(({ state }) => state === 'processing').length
  const done = uploads.filter(({ state }) => state === 'done').length
  if (processing > 0)
    return (
      <h2>
        <Plural value={processing} one="Processing # video" other="Processing # videos" />
      </h2>
    )
  if (done < uploads.length) return <h2>{t`Uploads`}</h2>
  return (
    <h2>
      <Plural value={done} one="# video is ready" other="# videos are ready" />
    </h2>
  )
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** Progress of all uploads that have not ended. */
function totalOf(uploads: readonly QueuedUpload[]) {
  const counted = uploads.filter((upload) => isUnderWay(upload) || upload.state === 'processing')
  const [bytes, sent] = [sum(counted.map((upload) => upload.bytes)), sum(counted.map(({ sentBytes }) => sentBytes))]
  const rate = sum(counted.map(({ bytesPerSecond = 0 }) => bytesPerSecond))
  return { percent: percentOf(sent, bytes), seconds: secondsLeft(bytes - sent, rate) }
}

/** Uploads that need the user come first, then those that are running. */
const ranks: Record<QueuedUpload['state'], number> = {
  'needs-file': 0,
  failed: 0,
  uploading: 1,
  checking: 1,
  waiting: 2,
  paused: 2,
  processing: 3,
  done: 4,
  cancelled: 4,
}

function Rows({ uploads }: Summarized) {
  const { t } = useLingui()
  const { id: organization } = useOrganization()
  const shown = uploads.toSorted((one, other) => ranks[one.state] - ranks[other.state]).slice(0, ROWS_MAX)
  const more = uploads.length - shown.length
  return (
    <>
      <NeededFiles />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: Keyboards scroll the list. */}
      <ul className={styles.rows} aria-label={t`Files`} tabIndex={0}>
        {shown.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
      </ul>
      <Link className={styles.all} to="/o/$organization/uploads" params={{ organization }}>
        {more > 0 ? t`${plural(more, { one: 'Show # more', other: 'Show # more' })}` : t`Show all uploads`}
      </Link>
    </>
  )
}

/** Announces to screen readers that all uploads have ended. */
function Announcement({ uploads }: Summarized) {
  const { t } = useLingui()
  const [wasBusy, setWasBusy] = useState(false)
  const isBusy = uploads.some(isUnderWay)
  useEffect(() => {
    if (isBusy) setWasBusy(true)
  }, [isBusy])
  return (
    <p className={styles.hidden} role="status">
      {wasBusy && !isBusy && uploads.length > 0 && t`All uploads have ended.`}
    </p>
  )
}
