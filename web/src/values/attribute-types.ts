/** The labels and icons of attribute types. */

import AtSign from '@lucide/svelte/icons/at-sign'
import Banknote from '@lucide/svelte/icons/banknote'
import Calendar from '@lucide/svelte/icons/calendar'
import CircleDot from '@lucide/svelte/icons/circle-dot'
import CircleHelp from '@lucide/svelte/icons/circle-question-mark'
import CircleUserRound from '@lucide/svelte/icons/circle-user-round'
import Clock from '@lucide/svelte/icons/clock'
import Globe from '@lucide/svelte/icons/globe'
import Hash from '@lucide/svelte/icons/hash'
import Link2 from '@lucide/svelte/icons/link-2'
import MapPin from '@lucide/svelte/icons/map-pin'
import MessagesSquare from '@lucide/svelte/icons/messages-square'
import Phone from '@lucide/svelte/icons/phone'
import SquareCheck from '@lucide/svelte/icons/square-check'
import Star from '@lucide/svelte/icons/star'
import Tag from '@lucide/svelte/icons/tag'
import Type from '@lucide/svelte/icons/type'
import IdCard from '@lucide/svelte/icons/id-card'
import type { Component } from 'svelte'
import { ALLOWED_SETTINGS, type AllowedSettings, type TypeName } from '#vocabulary/data-model'

export interface AttributeType {
  readonly label: string
  readonly hint: string
  readonly icon: Component<{ size?: number | string }>
}

/** In display order. */
export const ATTRIBUTE_TYPES: Readonly<Record<TypeName, AttributeType>> = {
  text: { label: 'Text', hint: 'Short or long text', icon: Type },
  number: { label: 'Number', hint: 'Up to four decimal places', icon: Hash },
  checkbox: { label: 'Checkbox', hint: 'Yes or no', icon: SquareCheck },
  currency: { label: 'Currency', hint: 'An amount of money', icon: Banknote },
  date: { label: 'Date', hint: 'Calendar date', icon: Calendar },
  timestamp: { label: 'Timestamp', hint: 'Date and time', icon: Clock },
  rating: { label: 'Rating', hint: 'One to five stars', icon: Star },
  select: { label: 'Select', hint: 'One or more of your options', icon: Tag },
  status: { label: 'Status', hint: 'Stages of a process', icon: CircleDot },
  'record-reference': { label: 'Record', hint: 'Links to other records', icon: Link2 },
  'actor-reference': { label: 'Member', hint: 'A workspace member', icon: CircleUserRound },
  location: { label: 'Location', hint: 'A postal address', icon: MapPin },
  domain: { label: 'Domain', hint: 'A website domain', icon: Globe },
  'email-address': { label: 'Email', hint: 'An email address', icon: AtSign },
  'phone-number': { label: 'Phone', hint: 'A phone number', icon: Phone },
  interaction: { label: 'Interaction', hint: 'A meeting or a message', icon: MessagesSquare },
  'personal-name': { label: 'Name', hint: 'First and last name', icon: IdCard },
}

const UNKNOWN: AttributeType = { label: 'Unknown type', hint: 'Not supported by this version', icon: CircleHelp }

/** Attribute types that are newer than this console share one label. */
export const attributeTypeOf = (type: string): AttributeType =>
  (ATTRIBUTE_TYPES as Readonly<Record<string, AttributeType | undefined>>)[type] ?? UNKNOWN

/** A type that is newer than this console can be neither created nor changed. */
const NOTHING: AllowedSettings = { multiselect: false, unique: false, create: false }

/** What an attribute of the type may be set to. */
export const allowedOf = (type: string): AllowedSettings =>
  (ALLOWED_SETTINGS as Readonly<Record<string, AllowedSettings | undefined>>)[type] ?? NOTHING
