import type { NfrDimension, RuntimeMode } from './runtimes.ts'

/** What a platform user writes. The custom resource definition says the same with limits; the compiler compares them. */
export interface RuntimeSpec {
  package_class_key?: string
  /** A template or one of its aliases. Absent: chosen by score. */
  selected_template?: string
  addons?: string[]
  odgm_config?: Record<string, unknown>
  functions?: RuntimeFunctionSpec[]
  nfr_requirements?: {
    min_throughput_rps?: number
    max_latency_ms?: number
    availability_pct?: number
    consistency?: string
  }
  enforcement?: { mode?: RuntimeMode; dimensions?: NfrDimension[] }
  telemetry?: {
    enabled?: boolean
    traces?: boolean
    metrics?: boolean
    logs?: boolean
    sampling_rate?: number
    service_name?: string
    resource_attributes?: Record<string, string>
  }
}

export interface RuntimeFunctionSpec {
  function_key: string
  description?: string
  available_location?: string
  qos_requirement?: { throughput?: number; availability?: number }
  provision_config?: {
    container_image?: string
    wasm_module_url?: string
    port?: number
    max_concurrency?: number
    need_http2?: boolean
    cpu_request?: string
    memory_request?: string
    cpu_limit?: string
    memory_limit?: string
    min_scale?: number
    max_scale?: number
  }
  config?: Record<string, string>
}
