import { useLingui } from '@lingui/react/macro'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { signOut } from '../api/account.ts'
import { meQuery, queryClient } from '../app/queries.ts'
import { chooseLanguage, type Language, languages } from '../app/texts/languages.ts'
import { chooseTheme, chosenTheme, type Theme } from '../app/theme.ts'
import { useProblemToast } from '../app/toasts.tsx'
import { icons } from '../ui/icons.tsx'
import { Initial } from '../ui/initial.tsx'
import { Menu, MenuItem, MenuLine, MenuSection } from '../ui/menu.tsx'
import { useShellDialogs } from './shell-shortcuts.tsx'
import styles from './user-menu.module.css'

/** Account, appearance, language, help and sign-out. */
export function UserMenu() {
  const { t, i18n } = useLingui()
  const { data: me } = useSuspenseQuery(meQuery)
  const navigate = useNavigate()
  const { openShortcuts } = useShellDialogs()
  const [theme, setTheme] = useState(chosenTheme)
  const leave = useSignOut()
  const name = me.person.name ?? me.person.email ?? t`Account`
  const trigger = (
    <Button className={styles.button ?? ''} aria-label={t`Your account: ${name}`}>
      <Initial name={name} />
      <span>{name}</span>
      {icons.expand}
    </Button>
  )
  const changeTheme = (key: string) => {
    chooseTheme(key as Theme)
    setTheme(key as Theme)
  }
  return (
    <Menu label={t`Your account`} trigger={trigger} placement="top start">
      <MenuItem icon={icons.person} onAction={() => void navigate({ to: '/account' })}>{t`Account`}</MenuItem>
      <MenuItem icon={icons.keyboard} onAction={openShortcuts} hint="?">{t`Keyboard shortcuts`}</MenuItem>
      <MenuItem icon={icons.book} href="/docs/" target="_blank">{t`Documentation`}</MenuItem>
      <MenuLine />
      <MenuSection title={t`Appearance`} selection={{ selected: theme, onSelect: changeTheme }}>
        <MenuItem id="system">{t`System`}</MenuItem>
        <MenuItem id="light">{t`Light`}</MenuItem>
        <MenuItem id="dark">{t`Dark`}</MenuItem>
      </MenuSection>
      <MenuSection
        title={t`Language`}
        selection={{ selected: i18n.locale, onSelect: (key) => void chooseLanguage(key as Language) }}
      >
        {Object.entries(languages).map(([language, label]) => (
          <MenuItem key={language} id={language}>
            {label}
          </MenuItem>
        ))}
      </MenuSection>
      <MenuLine />
      <MenuItem icon={icons.signOut} onAction={leave}>{t`Sign out`}</MenuItem>
    </Menu>
  )
}

function useSignOut(): () => void {
  const router = useRouter()
  const showProblem = useProblemToast()
  const { mutate } = useMutation({
    mutationFn: signOut,
    onError: showProblem,
    onSuccess: async () => {
      await router.navigate({ to: '/sign-in' })
      queryClient.clear()
    },
  })
  return () => mutate()
}
