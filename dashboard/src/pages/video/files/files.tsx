import { useLingui } from '@lingui/react/macro'
import { Section } from '../details/section.tsx'
import { Downloads } from './downloads.tsx'
import styles from './files.module.css'
import { Renditions } from './renditions.tsx'
import { Versions } from './versions.tsx'

/** Qualities, downloads and versions. */
export function Files() {
  const { t } = useLingui()
  return (
    <div className={styles.panel}>
      <Section title={t`Qualities`}>
        <Renditions />
      </Section>
      <Section title={t`Download`}>
        <Downloads />
      </Section>
      <Section title={t`Versions`}>
        <Versions />
      </Section>
    </div>
  )
}
