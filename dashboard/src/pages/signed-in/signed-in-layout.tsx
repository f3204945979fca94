import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { createLazyRoute, Link, Outlet, useRouter } from '@tanstack/react-router'
import { signOut } from '../../api/account.ts'
import { LanguageSelect } from '../../app/language-select.tsx'
import { queryClient } from '../../app/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Logo } from '../../ui/icons.tsx'
import styles from './signed-in-layout.module.css'

export const signedInLayout = createLazyRoute('/signed-in')({ component: SignedInLayout })

function SignedInLayout() {
  const { t } = useLingui()
  const router = useRouter()
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: async () => {
      await router.navigate({ to: '/sign-in' })
      queryClient.clear()
    },
  })
  return (
    <div className={styles.page}>
      <a className={styles.skip} href="#content">
        {t`Skip to content`}
      </a>
      <header className={styles.header}>
        <Link to="/" className={styles.brand} aria-label={t`Reelkeep, start page`}>
          <Logo size={26} />
          <span className={styles.name}>Reelkeep</span>
        </Link>
        <nav className={styles.nav} aria-label={t`Main`}>
          <Link to="/" activeOptions={{ exact: true }}>
            {t`Organizations`}
          </Link>
          <Link to="/account">{t`Account`}</Link>
        </nav>
        <Button size="small" isBusy={leave.isPending} onClick={() => leave.mutate()}>
          {t`Sign out`}
        </Button>
      </header>
      <main id="content" className={styles.main}>
        <Outlet />
      </main>
      <footer className={styles.footer}>
        <LanguageSelect />
        <a href="/docs/">{t`Documentation`}</a>
      </footer>
    </div>
  )
}
