import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { CopyButton } from '../../ui/data/copy-button.tsx'
import { icons } from '../../ui/icons.tsx'
import { useOrganization } from '../organization/organization.tsx'
import styles from './api-example.module.css'
import { type ApiCall, curlSample, sdkSample } from './api-samples.ts'

export type Example = ApiCall & { readonly title: string }

const languages = ['curl', 'TypeScript'] as const
type Language = (typeof languages)[number]

const STORAGE_KEY = 'reelkeep.api-language'
const chosenLanguage = (): Language => (localStorage.getItem(STORAGE_KEY) === 'TypeScript' ? 'TypeScript' : 'curl')

/** Shows how a program makes the main actions of the page, with curl and with the SDK. */
export function ApiExample({ examples }: { readonly examples: readonly Example[] }) {
  const { t } = useLingui()
  const [language, setLanguage] = useState(chosenLanguage)
  const choose = (chosen: Language) => {
    localStorage.setItem(STORAGE_KEY, chosen)
    setLanguage(chosen)
  }
  return (
    <details className={styles.example}>
      <summary className={styles.summary}>
        {icons.code}
        {t`Do this with the API`}
        <span className={styles.chevron}>{icons.chevronDown}</span>
      </summary>
      <div className={styles.content}>
        <div className={styles.intro}>
          <p>
            {t`Set the variable REELKEEP_TOKEN to an API token of this organization.`}{' '}
            <a href="/docs/" target="_blank" rel="noreferrer">{t`Open the documentation`}</a>
          </p>
          <fieldset className={styles.languages} aria-label={t`Language of the samples`}>
            {languages.map((name) => (
              <button key={name} type="button" aria-pressed={name === language} onClick={() => choose(name)}>
                {name}
              </button>
            ))}
          </fieldset>
        </div>
        {examples.map((example) => (
          <Sample key={example.title} example={example} language={language} />
        ))}
      </div>
    </details>
  )
}

function Sample({ example, language }: { readonly example: Example; readonly language: Language }) {
  const { t } = useLingui()
  const { id: organization } = useOrganization()
  const service = { origin: location.origin, organization }
  const code = language === 'curl' ? curlSample(example, service) : sdkSample(example, service)
  const { title } = example
  return (
    <figure className={styles.sample}>
      <figcaption>
        {title}
        <CopyButton text={code} label={t`Copy: ${title}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: A wide sample is scrolled with the keyboard. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  )
}
