import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import type { NewAccessToken } from 'reelkeep'
import { encode } from 'uqr'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/data/copy-button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { timeText } from '../formats.ts'
import { useVideo } from '../video-context.tsx'
import { elementCode, iframeCode, linkOf, reactCode, type SharedVideo } from './embed-codes.ts'
import styles from './share.module.css'

type Props = { readonly created: NewAccessToken; readonly onAgain: () => void }

/** A link that was just created, its QR code, and code for other pages. The service shows the token only once. */
export function NewLink({ created, onAgain }: Props) {
  const { t, i18n } = useLingui()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const video = useSharedVideo(created)
  const expires = timeText(created.expires_at, i18n.locale)
  const isLimited = created.referrers.length > 0
  return (
    <div className={styles.form}>
      <div className={styles.row}>
        <h3 ref={heading} tabIndex={-1}>{t`The link is ready`}</h3>
        <Button size="small" onClick={onAgain}>
          {t`Create another link`}
        </Button>
      </div>
      <p className={styles.hint}>{t`It works until ${expires}. Copy it now: it is not shown again.`}</p>
      {isLimited ? (
        <Notice kind="warning">
          {t`Links and iframes play on the pages of this server, so they do not work with allowed sites. Use the web component or React on these sites.`}
        </Notice>
      ) : (
        <Link url={linkOf(video)} />
      )}
      <EmbedCodes video={video} isLimited={isLimited} />
    </div>
  )
}

function useSharedVideo({ token, playback_url: playbackUrl }: NewAccessToken): SharedVideo {
  const { id: organization } = useOrganization()
  const { asset } = useVideo()
  const { width, height } = asset.video
  return {
    ...{ origin: location.origin, organization, asset: asset.id, title: asset.title, token, playbackUrl },
    ...{ width: width ?? 16, height: height ?? 9 },
  }
}

function Link({ url }: { readonly url: string }) {
  const { t } = useLingui()
  const { data, size } = encode(url, { border: 2 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <div className={styles.link}>
      <svg className={styles.code} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t`QR code of the link`}>
        <path d={path} />
      </svg>
      <div className={styles.form}>
        <input
          className={styles.url}
          aria-label={t`Link`}
          readOnly
          value={url}
          onFocus={(event) => event.target.select()}
        />
        <div className={styles.row}>
          <CopyButton text={url} label={t`Copy link`} look="primary" />
          <a href={url} target="_blank" rel="noreferrer">{t`Open`}</a>
        </div>
      </div>
    </div>
  )
}

type EmbedProps = { readonly video: SharedVideo; readonly isLimited: boolean }

function EmbedCodes({ video, isLimited }: EmbedProps) {
  const { t } = useLingui()
  const codes = [
    ...(isLimited ? [] : [{ name: t`iframe`, code: iframeCode(video) }]),
    { name: t`Web component`, code: elementCode(video) },
    { name: t`React`, code: reactCode(video) },
  ]
  const [chosen, setChosen] = useState(0)
  const { name, code } = codes[chosen] ?? { name: '', code: '' }
  return (
    <div className={styles.form}>
      <div className={styles.row}>
        <fieldset className={styles.kinds} aria-label={t`Embed code`}>
          {codes.map((kind, index) => (
            <button key={kind.name} type="button" aria-pressed={index === chosen} onClick={() => setChosen(index)}>
              {kind.name}
            </button>
          ))}
        </fieldset>
        <CopyButton text={code} label={t`Copy code: ${name}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: Wide code is scrolled with the keyboard. */}
      <pre className={styles.embed} tabIndex={0}>
        <code>{code}</code>
      </pre>
    </div>
  )
}
