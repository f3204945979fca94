import { z } from 'zod'

/** The operator's mail server. Without it, links are shown and not sent. */
export const mailSettings = {
  /** SMTP server, such as `smtps://user:password@mail.example:465`. */
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an smtp or smtps URL' })
    .max(2048)
    .optional(),
  /** Sender of mails, such as `Reelkeep <videos@example.org>`. */
  MAIL_FROM: z.string().min(3).max(320).regex(/@/, 'must contain an email address').optional(),
}

type MailSettings = { readonly SMTP_URL?: string | undefined; readonly MAIL_FROM?: string | undefined }

export const hasMailSender = ({ SMTP_URL: url, MAIL_FROM: from }: MailSettings) => !url || from !== undefined

export const mailSenderError = { path: ['MAIL_FROM'], message: 'is required with SMTP_URL' }
