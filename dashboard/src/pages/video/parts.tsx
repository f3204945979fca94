import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { Activity } from './files/activity.tsx'
import { Files } from './files/files.tsx'
import styles from './parts.module.css'
import { Captions } from './tracks/captions.tsx'
import { Chapters } from './tracks/chapters.tsx'
import { useChapters, useSubtitles } from './tracks/track-data.ts'

type Part = {
  readonly id: string
  readonly title: string
  readonly count?: number | undefined
  readonly content: ReactNode
}

/** Chapters, captions, files and activity, in tabs below the player. */
export function Parts() {
  const { t } = useLingui()
  const parts: readonly Part[] = [
    { id: 'chapters', title: t`Chapters`, count: useChapters().data?.length, content: <Chapters /> },
    { id: 'captions', title: t`Captions`, count: useSubtitles().data?.length, content: <Captions /> },
    { id: 'files', title: t`Files`, content: <Files /> },
    { id: 'activity', title: t`Activity`, content: <Activity /> },
  ]
  return (
    <Tabs>
      <TabList className={styles.tabs ?? ''} aria-label={t`Sections of the video page`}>
        {parts.map(({ id, title, count }) => (
          <Tab key={id} id={id} className={styles.tab ?? ''}>
            {title}
            {count !== undefined && count > 0 && <span>{count}</span>}
          </Tab>
        ))}
      </TabList>
      {parts.map(({ id, content }) => (
        <TabPanel key={id} id={id} className={styles.panel ?? ''}>
          {content}
        </TabPanel>
      ))}
    </Tabs>
  )
}
