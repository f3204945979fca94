import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles/tokens.css'
import './styles/base.css'
import { queryClient } from './app/queries.ts'
import { takeLinkToken, watchLinkToken } from './app/routes/link-token.ts'
import { preloadPage } from './app/routes/preload-page.ts'
import { openRouter } from './app/routes/router.tsx'
import { leaveWhenSignedOut } from './app/routes/signed-out.ts'
import { activateLanguage, preferredLanguage } from './app/texts/languages.ts'
import { applyTheme } from './app/theme.ts'

applyTheme()
takeLinkToken()
watchLinkToken()
const router = openRouter()
leaveWhenSignedOut(router)
const texts = activateLanguage(preferredLanguage())
preloadPage(router)
const root = document.getElementById('root')
if (!root) throw new Error('The page has no element #root.')
await texts
createRoot(root).render(
  <StrictMode>
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
)
