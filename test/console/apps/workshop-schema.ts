import type { JsonObject } from '../../../src/domains/apps/index.ts'

/** A chart whose only purpose is its form: every kind of field that there is. */
export const WORKSHOP: JsonObject = {
  type: 'object',
  properties: {
    user: {
      type: 'object',
      required: ['title', 'size'],
      properties: {
        title: {
          type: 'string',
          title: 'Title',
          description: 'Shown in the tab of the browser.',
          minLength: 3,
          'x-order': 1,
        },
        size: {
          title: 'Size',
          description: 'How much room it gets.',
          oneOf: [
            { const: 's', title: 'Small' },
            { const: 'm', title: 'Medium' },
            { const: 'l', title: 'Large' },
          ],
          'x-order': 2,
        },
        memory: { type: 'integer', title: 'Memory', minimum: 64, maximum: 4096, multipleOf: 64, 'x-unit': 'MiB' },
        public: { type: 'boolean', title: 'Public', description: 'Anybody may read it.' },
        features: {
          type: 'array',
          title: 'Features',
          uniqueItems: true,
          items: { enum: ['search', 'comments', 'feed'] },
        },
        hosts: {
          type: 'array',
          title: 'Further hosts',
          maxItems: 3,
          items: { type: 'string', format: 'hostname' },
        },
        mail: {
          type: 'object',
          title: 'Mail',
          description: 'For notifications.',
          properties: {
            server: { type: 'string', title: 'Server' },
            password: { type: 'string', title: 'Password', writeOnly: true, minLength: 8 },
          },
        },
        editors: {
          type: 'array',
          title: 'Editors',
          maxItems: 5,
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string', title: 'Name', minLength: 1 },
              role: { enum: ['author', 'reviewer'], title: 'Role', default: 'author' },
            },
          },
        },
        storage: {
          type: 'object',
          title: 'Storage',
          oneOf: [
            {
              title: 'Volume',
              properties: {
                kind: { const: 'volume' },
                gigabytes: { type: 'integer', title: 'Room', minimum: 1, maximum: 100, default: 5, 'x-unit': 'GiB' },
              },
            },
            {
              title: 'Bucket',
              required: ['bucket'],
              properties: { kind: { const: 'bucket' }, bucket: { type: 'string', title: 'Name of the bucket' } },
            },
          ],
        },
        backup: { type: 'boolean', title: 'Backups' },
      },
      if: { required: ['backup'], properties: { backup: { const: true } } },
      then: {
        required: ['schedule'],
        properties: { schedule: { type: 'string', title: 'Schedule', description: 'When, as a cron line.' } },
      },
    },
  },
}
