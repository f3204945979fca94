import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Logo } from '../../ui/icons.tsx'
import styles from './entrance-layout.module.css'
import { LanguageSelect } from './language-select.tsx'
import sceneUrl from './scene.svg'

/** Layout of the pages that are shown before a person is signed in. */
export function EntranceLayout({ children }: { readonly children: ReactNode }) {
  const { t } = useLingui()
  return (
    <div className={styles.page}>
      <div className={styles.side}>
        <header className={styles.brand}>
          <span className={styles.logo}>
            <Logo size={28} />
          </span>
          Reelkeep
        </header>
        <main className={styles.main}>{children}</main>
        <footer className={styles.footer}>
          <LanguageSelect />
          <a href="/docs/">{t`Documentation`}</a>
        </footer>
      </div>
      <div className={styles.scene}>
        <img src={sceneUrl} alt="" />
      </div>
    </div>
  )
}

/** Heading and first sentence of the page. */
export const Intro = ({ children }: { readonly children: ReactNode }) => <div className={styles.intro}>{children}</div>
