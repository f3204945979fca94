import { useLingui } from '@lingui/react/macro'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import type { Commands } from '../studio-commands.ts'
import { useStudio } from '../studio-context.tsx'
import type { SuggestionCommands } from '../suggestions/suggestion-commands.ts'
import { SuggestionPanel } from '../suggestions/suggestions.tsx'
import { ChapterList } from './chapter-list.tsx'
import styles from './panel.module.css'

type Props = {
  readonly commands: Commands
  readonly suggestionCommands: SuggestionCommands
  /** The chapter whose title the user edits. */
  readonly renamed: string | undefined
  readonly onRenamed: () => void
  readonly onPaste: () => void
}

/** The list of chapters, and suggestions for more. */
export function Panel({ commands, suggestionCommands, renamed, onRenamed, onPaste }: Props) {
  const { t } = useLingui()
  const { editor, suggestions } = useStudio()
  return (
    <Tabs
      className={styles.panel ?? ''}
      selectedKey={suggestions.isOpen ? 'suggestions' : 'chapters'}
      onSelectionChange={(key) => suggestions.setOpen(key === 'suggestions')}
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
        <ChapterList {...{ commands, renamed, onRenamed, onPaste }} onSuggestions={() => suggestions.setOpen(true)} />
      </TabPanel>
      <TabPanel id="suggestions" className={styles.content ?? ''}>
        <SuggestionPanel commands={suggestionCommands} />
      </TabPanel>
    </Tabs>
  )
}
