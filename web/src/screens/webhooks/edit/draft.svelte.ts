/** The state of the form of a webhook. */

import type { EventType, Subscription, SubscriptionFilter, Webhook, WebhookInput } from '../../../api/webhooks/webhooks'
import { WEBHOOK_EVENT_TYPES } from '#vocabulary/event-types'
import { fieldsOf } from './fields'

export type Joint = '$and' | '$or'
type Condition = Extract<SubscriptionFilter, { $and: unknown }>['$and'][number]

export interface DraftCondition {
  readonly key: number
  field: string
  operator: Condition['operator']
  value: string
}

let lastKey = 0
const nextKey = (): number => (lastKey += 1)

export class DraftSubscription {
  readonly key = nextKey()
  readonly type: EventType
  joint = $state<Joint>('$and')
  conditions = $state<DraftCondition[]>([])
  /** Whether events include the values before and after. */
  hasValues = $state(false)

  readonly output: Subscription = $derived.by(() => ({
    event_type: this.type,
    filter: this.#filter(),
    ...(this.hasValues && { include: ['values' as const] }),
  }))

  constructor({ event_type, filter, include }: Subscription) {
    this.type = event_type
    this.hasValues = include?.includes('values') === true
    if (filter === null) return
    this.joint = '$and' in filter ? '$and' : '$or'
    const conditions = '$and' in filter ? filter.$and : filter.$or
    this.conditions = conditions.map((condition) => ({ ...condition, key: nextKey() }))
  }

  add(): void {
    const field = fieldsOf(this.type)[0]?.path ?? 'actor.type'
    this.conditions.push({ key: nextKey(), field, operator: 'equals', value: '' })
  }

  remove(key: number): void {
    this.conditions = this.conditions.filter((condition) => condition.key !== key)
  }

  #filter(): SubscriptionFilter | null {
    const conditions = this.conditions.map(({ field, operator, value }) => ({ field, operator, value: value.trim() }))
    if (conditions.length === 0) return null
    return this.joint === '$and' ? { $and: conditions } : { $or: conditions }
  }
}

/** A URL, or a test endpoint, which may be created with the webhook. */
export type TargetKind = 'address' | 'test-endpoint'

export const NEW_ENDPOINT = 'new'

export class WebhookDraft {
  name = $state('')
  targetKind = $state<TargetKind>('address')
  target = $state('')
  /** The URL of a test endpoint, or `NEW_ENDPOINT`. */
  endpoint = $state(NEW_ENDPOINT)
  subscriptions = $state<DraftSubscription[]>([])
  /** A paused webhook stays paused when it is edited. */
  readonly isPaused: boolean

  readonly isComplete: boolean = $derived(
    this.subscriptions.length > 0 &&
      (this.targetKind === 'test-endpoint' || this.target.trim() !== '') &&
      this.subscriptions.every(({ conditions }) => conditions.every(({ value }) => value.trim() !== '')),
  )

  constructor(webhook: Webhook | undefined, target = '') {
    this.name = webhook?.name ?? ''
    this.isPaused = webhook?.status === 'inactive'
    this.target = webhook?.target_url ?? target
    this.subscriptions = (webhook?.subscriptions ?? []).map((subscription) => new DraftSubscription(subscription))
  }

  has(type: EventType): boolean {
    return this.subscriptions.some((subscription) => subscription.type === type)
  }

  choose(type: EventType, isWanted: boolean): void {
    const others = this.subscriptions.filter((subscription) => subscription.type !== type)
    if (!isWanted) this.subscriptions = others
    else if (!this.has(type)) {
      this.subscriptions = [...others, new DraftSubscription({ event_type: type, filter: null })].sort(
        (one, other) => WEBHOOK_EVENT_TYPES.indexOf(one.type) - WEBHOOK_EVENT_TYPES.indexOf(other.type),
      )
    }
  }

  get hasAll(): boolean {
    return WEBHOOK_EVENT_TYPES.every((type) => this.has(type))
  }

  /** Subscribes to every event type, or to none. Filters of present subscriptions stay. */
  chooseAll(isWanted: boolean): void {
    for (const type of WEBHOOK_EVENT_TYPES) this.choose(type, isWanted)
  }

  /** All entered values, including those that are not sent. */
  get written(): unknown {
    const { name, targetKind, target, endpoint, subscriptions } = this
    return { name, targetKind, target, endpoint, subscriptions: subscriptions.map(({ output }) => output) }
  }

  /** The body of the request. `target` is the chosen URL. */
  inputFor(target: string): WebhookInput {
    const name = this.name.trim() === '' ? null : this.name.trim()
    return { name, target_url: target, subscriptions: this.subscriptions.map(({ output }) => output) }
  }
}
