/** The form of an account that is read from a server: what a member enters, what was found for the address, and its submission. */

import {
  type Account,
  beginSignIn,
  type CalDavSettings,
  changeAccount,
  connectAccount,
  type ImapSettings,
  type NewServerAccount,
  type Provider,
  proposeAccounts,
  type Sharing,
} from '../../../api/access/connected-accounts'
import { session } from '../../../state/session.svelte'
import { Submission } from '../../../state/submission.svelte'
import { daysOf, type History, historyOf, nameOfServerAccount } from './account-text'

type ServerSettings = ImapSettings | CalDavSettings

interface Options<S extends ServerSettings> {
  readonly kind: 'imap' | 'caldav'
  /** The account that is edited. */
  readonly given: (Account & { readonly settings: S }) | undefined
  /** The settings for an address whose server was not found. */
  readonly settingsFor: (user: string) => S
  readonly onsaved: (message: string) => unknown
}

export class ServerAccount<S extends ServerSettings> {
  readonly kind: Options<S>['kind']
  readonly given: Options<S>['given']
  readonly submission = new Submission()
  readonly #options: Options<S>

  address = $state('')
  /** Undefined until the service looked for the server of the address. */
  settings = $state<S | undefined>()
  password = $state('')
  sharing = $state<Sharing>('everything')
  history = $state<History>('365')
  hint = $state<string | null>(null)
  wasFound = $state(true)
  /** Where the member can sign in instead of giving a password. */
  provider = $state.raw<Provider>(null)
  wantsPassword = $state(false)
  readonly signsIn = $derived(this.provider !== null && !this.wantsPassword)

  constructor(options: Options<S>) {
    const { kind, given } = options
    this.#options = options
    this.kind = kind
    this.given = given
    this.address = given?.email_address ?? session.account?.email_address ?? ''
    if (given === undefined) return
    this.settings = { ...given.settings }
    this.sharing = given.sharing
    this.history = historyOf(given.history_days)
  }

  get #email(): string {
    return this.address.trim()
  }

  /** The label of the button that submits the form. */
  get verb(): string {
    if (this.settings === undefined) return 'Continue'
    if (this.given !== undefined) return 'Save'
    return this.provider !== null && this.signsIn ? `Sign in with ${this.provider.name}` : 'Connect'
  }

  /** Google accepts no passwords for calendars. */
  get acceptsPassword(): boolean {
    const provider = this.provider?.id ?? this.given?.provider
    return this.kind === 'imap' || provider !== 'google'
  }

  get draft(): unknown {
    const { address, password, sharing, history, settings } = this
    return { address, password, sharing, history, settings }
  }

  async submit(): Promise<void> {
    if (this.settings === undefined) await this.#find()
    else if (this.given === undefined) await this.#connect(this.settings)
    else await this.#change(this.given, this.settings)
  }

  async #find(): Promise<void> {
    await this.submission.run(async () => {
      const [found] = await proposeAccounts(this.kind, this.#email)
      this.wasFound = found !== undefined
      this.hint = found?.hint ?? null
      this.provider = found?.provider ?? null
      // What is found is of the kind that was asked for.
      this.settings = (found?.settings as S | undefined) ?? this.#options.settingsFor(this.#email)
    })
  }

  async #connect(settings: S): Promise<void> {
    const { kind, sharing, provider, password } = this
    const choices = { email_address: this.#email, sharing, history_days: daysOf(this.history) }
    const body = { kind, settings, ...choices } as NewServerAccount // its settings are those of its kind
    if (provider !== null && this.signsIn) {
      await this.submission.run(async () =>
        window.location.assign(await beginSignIn({ ...body, provider: provider.id })),
      )
    } else if (await this.submission.run(() => connectAccount({ ...body, secret: { password } }))) {
      this.#options.onsaved(`${nameOfServerAccount(kind, this.#email)} connected`)
    }
  }

  /** Settings and the password are tried by the service, so they are sent only if they changed. */
  async #change(given: Account, settings: S): Promise<void> {
    const { kind, password, sharing } = this
    const isSaved = await this.submission.run(() =>
      changeAccount(given.id, {
        ...(JSON.stringify(settings) === JSON.stringify(given.settings) ? {} : { settings }),
        ...(password === '' ? {} : { secret: { password } }),
        sharing,
        history_days: daysOf(this.history),
      }),
    )
    if (isSaved) this.#options.onsaved(`${nameOfServerAccount(kind, given.email_address)} updated`)
  }
}
