import type { Client } from 'pg'

/** One query of the catalogue per kind of object. Each returns `name` and `text`, without object ids and versions. */
const SECTIONS: Readonly<Record<string, string>> = {
  types: `
    select format('%s.%s', n.nspname, t.typname) as name,
      format('enum (%s)', (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder) from pg_enum where enumtypid = t.oid)) as text
    from pg_type t join pg_namespace n on n.oid = t.typnamespace where t.typtype = 'e' and n.nspname = any ($1)`,
  sequences: `
    select format('%I.%I', schemaname, sequencename) as name, format('%s, increment %s, cache %s', data_type, increment_by, cache_size) as text
    from pg_sequences where schemaname = any ($1)
      and not exists (select from pg_depend where objid = format('%I.%I', schemaname, sequencename)::regclass and deptype = 'i')`,
  functions: `
    select format('%s.%s(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as name, pg_get_functiondef(p.oid) as text
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = any ($1)`,
  tables: `
    select c.oid::regclass::text as name, concat_ws(e'\\n',
      (select string_agg(concat_ws(' ', '  ' || quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
          case when a.attcollation <> 0 and a.attcollation <> (select typcollation from pg_type where oid = a.atttypid)
            then 'collate ' || (select quote_ident(collname) from pg_collation where oid = a.attcollation) end,
          case when a.attnotnull then 'not null' end,
          case when a.attidentity <> '' then 'generated always as identity' end,
          case when a.attgenerated <> '' then 'generated: ' || pg_get_expr(d.adbin, d.adrelid)
            else 'default ' || pg_get_expr(d.adbin, d.adrelid) end), e'\\n' order by a.attnum)
        from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
      (select string_agg(format('  constraint %I %s', conname, pg_get_constraintdef(oid)), e'\\n' order by conname)
        from pg_constraint where conrelid = c.oid and contype <> 'n'),
      '  with (' || array_to_string(c.reloptions, ', ') || ')',
      case when c.relrowsecurity then '  row level security' end) as text
    from pg_class c where c.relkind in ('r', 'p') and c.relnamespace::regnamespace::text = any ($1)`,
  views: `
    select format('%I.%I', schemaname, viewname) as name, definition as text from pg_views where schemaname = any ($1)`,
  indexes: `
    select format('%I.%I', schemaname, indexname) as name, indexdef as text from pg_indexes where schemaname = any ($1)`,
  triggers: `
    select format('%s %s', tgrelid::regclass, tgname) as name, pg_get_triggerdef(t.oid) as text
    from pg_trigger t join pg_class c on c.oid = tgrelid where not tgisinternal and c.relnamespace::regnamespace::text = any ($1)`,
  policies: `
    select format('%I.%I %s', schemaname, tablename, policyname) as name,
      concat_ws(' ', 'for', lower(cmd), 'to', array_to_string(roles, ', '), 'using (' || qual || ')', 'with check (' || with_check || ')') as text
    from pg_policies where schemaname = any ($1)`,
  grants: `
    select format('%s to %s', c.oid::regclass, g.grantee::regrole) as name,
      string_agg(lower(g.privilege_type), ', ' order by g.privilege_type) as text
    from pg_class c cross join aclexplode(c.relacl) g
    where c.relnamespace::regnamespace::text = any ($1) and g.grantee <> c.relowner
    group by c.oid, g.grantee`,
}

/** The schema as text that is the same wherever it was migrated, on every version of PostgreSQL we support. */
export async function dumpSchema(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select nspname as name from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', 'public') order by 1`,
  )
  const schemas = rows.map(({ name }) => name)
  const sections = [
    '-- The schema after all migrations. Written by `UPDATE=1 npm test`; change it by adding a migration.\n',
  ]
  for (const [title, query] of Object.entries(SECTIONS)) {
    const found = await client.query<{ name: string; text: string }>(query, [schemas])
    const things = found.rows.map(({ name, text }) => `${name}\n${text.trimEnd()}\n`).toSorted()
    if (things.length > 0) sections.push(`-- ${title}\n\n${things.join('\n')}`)
  }
  return sections.join('\n')
}
