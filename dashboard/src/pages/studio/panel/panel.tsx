import { useLingui } from '@lingui/react/macro'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import type { Commands } from '../studio-commands.ts'
import { useStudio } from '../studio-context.tsx'
import { ChapterList } from './chapter-list.tsx'
import styles from './panel.module.css'
import { Suggestions } from './suggestions.tsx'

export type PanelTab = 'chapters' | 'suggestions'

type Props = {
  readonly tab: PanelTab
  readonly commands: Commands
  /** The chapter whose title is to be edited now. */
  readonly renamed: string | undefined
  readonly onTab: (tab: PanelTab) => void
  readonly onRenamed: () => void
  readonly onPaste: () => void
  readonly onMarks: (marks: readonly number[]) => void
}

/** The list of chapters, and suggestions for more. */
export function Panel({ tab, commands, renamed, onTab, onRenamed, onPaste, onMarks }: Props) {
  const { t } = useLingui()
  const { editor } = useStudio()
  return (
    <Tabs
      className={styles.panel ?? ''}
      selectedKey={tab}
      onSelectionChange={(key) => onTab(key === 'suggestions' ? 'suggestions' : 'chapters')}
    >
      <TabList className={styles.tabs ?? ''} aria-label={t`Chapters and suggestions`}>
        <Tab id="chapters" className={styles.tab ?? ''}>
          {t`Chapters`}
          {editor.chapters.length > 0 && <span>{editor.chapters.length}</span>}
        </Tab>
        <Tab id="suggestions" className={styles.tab ?? ''}>
          {t`Suggestions`}
        </Tab>
      </TabList>
      <TabPanel id="chapters" className={styles.content ?? ''}>
        <ChapterList {...{ commands, renamed, onRenamed, onPaste }} onSuggestions={() => onTab('suggestions')} />
      </TabPanel>
      <TabPanel id="suggestions" className={styles.content ?? ''}>
        <Suggestions commands={commands} onMarks={onMarks} />
      </TabPanel>
    </Tabs>
  )
}
