/** Sends mails through the SMTP server of the operator. */
import { createTransport } from 'nodemailer'

export type Mail = { readonly to: string; readonly subject: string; readonly text: string }

export type MailOptions = {
  /** Such as `smtps://user:password@mail.example:465`. */
  readonly url: string
  /** Sender of all mails, such as `Reelkeep <videos@example.org>`. */
  readonly from: string
}

/** A mail server that does not answer within this time counts as unavailable. */
const TIMEOUT_MS = 20_000
/** Maximum number of mails that wait for the server; further ones fail. */
const WAITING_MAX = 1000
const CONNECTIONS_MAX = 2

export class Mailer implements Disposable {
  readonly #transport: ReturnType<typeof createTransport>
  readonly #from: string
  #waiting = 0

  constructor({ url, from }: MailOptions) {
    const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
    this.#transport = createTransport({ url, pool: true, maxConnections: CONNECTIONS_MAX, ...timeouts })
    this.#from = from
  }

  /** Resolves when the server has accepted the mail. Neither files nor URLs are read for its content. */
  async send(mail: Mail): Promise<void> {
    if (this.#waiting >= WAITING_MAX) throw new Error(`More than ${WAITING_MAX} mails are waiting for the mail server`)
    this.#waiting++
    try {
      const safety = { disableFileAccess: true, disableUrlAccess: true }
      await this.#transport.sendMail({ ...mail, ...safety, from: this.#from, to: { name: '', address: mail.to } })
    } finally {
      this.#waiting--
    }
  }

  [Symbol.dispose](): void {
    this.#transport.close()
  }
}
