import { useLingui } from '@lingui/react/macro'
import styles from './adding.module.css'
import { allResolutions, type UploadDefaults } from './defaults.ts'

type Props = { readonly options: UploadDefaults; readonly onChange: (options: UploadDefaults) => void }

/** How the videos are processed. */
export function OptionFields({ options, onChange }: Props) {
  const { t } = useLingui()
  const { resolutions, protection, hasSubtitles } = options
  const toggle = (one: (typeof allResolutions)[number]) =>
    onChange({
      ...options,
      resolutions: allResolutions.filter((each) => (each === one) !== resolutions.includes(each)),
    })
  const protections = [
    ['disable', t`None`],
    ['aes', t`Encrypted (AES-128)`],
    ['drm', t`DRM`],
  ] as const
  return (
    <>
      <fieldset className={styles.group}>
        <legend>{t`Resolutions`}</legend>
        <div className={styles.choices}>
          {allResolutions.map((one) => (
            <label key={one} className={styles.choice}>
              <input type="checkbox" checked={resolutions.includes(one)} onChange={() => toggle(one)} />
              {one}
            </label>
          ))}
        </div>
      </fieldset>
      <label className={styles.field}>
        <span>{t`Protection`}</span>
        <select
          className={styles.select}
          value={protection}
          onChange={({ target }) => onChange({ ...options, protection: target.value as UploadDefaults['protection'] })}
        >
          {protections.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label className={styles.option}>
        <input
          type="checkbox"
          checked={hasSubtitles}
          onChange={({ target }) => onChange({ ...options, hasSubtitles: target.checked })}
        />
        <span>
          {t`Generate captions`}
          <span>{t`From the speech in the video`}</span>
        </span>
      </label>
    </>
  )
}
