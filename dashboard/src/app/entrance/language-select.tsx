import { useLingui } from '@lingui/react/macro'
import { chooseLanguage, type Language, languages } from '../texts/languages.ts'
import styles from './language-select.module.css'

export function LanguageSelect() {
  const { t, i18n } = useLingui()
  return (
    <select
      className={styles.select}
      aria-label={t`Language`}
      value={i18n.locale}
      onChange={({ target }) => void chooseLanguage(target.value as Language)}
    >
      {Object.entries(languages).map(([language, name]) => (
        <option key={language} value={language} lang={language}>
          {name}
        </option>
      ))}
    </select>
  )
}
