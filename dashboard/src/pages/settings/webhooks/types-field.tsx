import { useLingui } from '@lingui/react/macro'
import { eventTypes } from 'reelkeep'
import { CheckField } from '../../../ui/forms/check-field.tsx'
import { wordsOf } from '../parts/identifier-words.ts'
import styles from '../parts/parts.module.css'

const familyOf = (type: string) => type.split('.', 1)[0] ?? type
const families = [...Map.groupBy(eventTypes, familyOf)]

type Props = { readonly chosen: readonly string[]; readonly onChange: (types: readonly string[]) => void }

/** A choice of event types; none means all. */
export function TypesField({ chosen, onChange }: Props) {
  const { t } = useLingui()
  const toggle = (type: string) =>
    onChange(chosen.includes(type) ? chosen.filter((other) => other !== type) : [...chosen, type])
  return (
    <div className={styles.form}>
      <p className={styles.fieldLabel}>{t`Events`}</p>
      <p className={styles.hint}>{t`If none is selected, all events are sent.`}</p>
      <fieldset className={styles.scopes}>
        <legend className="visually-hidden">{t`Events`}</legend>
        {families.map(([family, types]) => {
          const wildcard = `${family}.*`
          const hasAll = chosen.includes(wildcard)
          return (
            <div key={family}>
              <h3>{wordsOf(family)}</h3>
              <CheckField
                label={t`All, including event types that later versions add`}
                checked={hasAll}
                onChange={() => toggle(wildcard)}
              />
              {types
                .filter((type) => type !== wildcard)
                .map((type) => (
                  <CheckField
                    key={type}
                    label={wordsOf(type)}
                    checked={hasAll || chosen.includes(type)}
                    disabled={hasAll}
                    onChange={() => toggle(type)}
                  />
                ))}
            </div>
          )
        })}
      </fieldset>
    </div>
  )
}
