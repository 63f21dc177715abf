import { findAttribute } from '#engine/data-model/find'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'

/** The objects and attributes of people and companies. */
export interface ContactTypes {
  readonly people: ObjectType
  readonly emailAddresses: Attribute
  readonly company: Attribute
  readonly companies: ObjectType
  readonly domains: Attribute
}

/** Undefined when people or companies are disabled. The model is not that of a member, who may see only one of them. */
export function contactTypesOf(model: DataModel): ContactTypes | undefined {
  const people = enabledStandardObject(model, 'people')
  const companies = enabledStandardObject(model, 'companies')
  if (!people || !companies) return undefined
  const emailAddresses = findAttribute(people, 'email_addresses')
  const company = findAttribute(people, 'company')
  const domains = findAttribute(companies, 'domains')
  return emailAddresses && company && domains && { people, emailAddresses, company, companies, domains }
}

const enabledStandardObject = ({ entityTypes }: DataModel, slug: string): ObjectType | undefined =>
  entityTypes.find(
    (each): each is ObjectType => each.kind === 'object' && each.standard_slug === slug && each.is_enabled,
  )
