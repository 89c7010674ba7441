import { Type } from 'typebox'
import { Conditions, defineCrd, type ObjectOf } from '../../src/kube/index.ts'

/** A minimal custom resource: the controller copies its message into a ConfigMap. */
export const Echo = defineCrd({
  group: 'bench.example',
  version: 'v1',
  kind: 'Echo',
  plural: 'echoes',
  scope: 'Namespaced',
  spec: Type.Object({ message: Type.String({ maxLength: 1000 }) }),
  status: Type.Object({
    observedGeneration: Type.Optional(Type.Integer({ format: 'int64' })),
    conditions: Type.Optional(Conditions),
  }),
  printerColumns: [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})
export type Echo = ObjectOf<typeof Echo>
